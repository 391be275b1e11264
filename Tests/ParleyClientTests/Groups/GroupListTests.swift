import Testing

@testable import ParleyClient

@Suite("A list of groups")
struct GroupListTests {
  private let core = ClientCore(bufferedEvents: 10)

  private func page(
    _ source: GroupChannelListQuery.Source, _ groups: String
  ) throws -> [ChannelProperties] {
    try core.groupCalls.list(source, nil).read(
      AnswerReader.document(#"{"channels":[\#(groups)],"next":"n"}"#.json)
    ).items
  }

  @Test("is requested as the parameters say, without those that are not set")
  func written() {
    let mine = GroupChannelListQueryParams()
    #expect(
      params(core.groupCalls.list(.mine(mine.values), nil))
        == #"{"members_limit":100,"limit":20}"#)
    mine.order = .channelNameAlphabetical
    mine.myMemberStateFilter = .joined
    mine.channelHiddenStateFilter = .hiddenPreventAutoUnhide
    mine.unreadChannelFilter = .unreadMessage
    mine.publicChannelFilter = .private
    mine.distinctChannelFilter = .nondistinct
    mine.userIDsIncludeFilter = ["ben", "cleo"]
    mine.queryType = .or
    mine.nicknameContainsFilter = "b"
    mine.channelNameContainsFilter = "trip"
    mine.channelURLsFilter = ["u"]
    mine.customTypesFilter = ["c"]
    mine.customTypeStartsWithFilter = "d"
    mine.includeEmptyChannel = false
    mine.includeFrozenChannel = false
    mine.includeMemberList = false
    mine.limit = 3
    #expect(
      params(core.groupCalls.list(.mine(mine.values), "t"))
        == #"{"order":"channel_name_alphabetical","member_state":"joined","#
        + #""hidden_mode":"hidden_prevent_auto_unhide","unread_only":true,"public_mode":"private","#
        + #""distinct_mode":"nondistinct","members_include":{"user_ids":["ben","cleo"],"mode":"or"},"#
        + #""nickname_contains":"b","name_contains":"trip","channel_urls":["u"],"custom_types":["c"],"#
        + #""custom_type_startswith":"d","show_empty":false,"show_frozen":false,"limit":3,"token":"t"}"#
    )
    let exact = GroupChannelListQueryParams()
    exact.userIDsIncludeFilter = ["ben"]
    exact.userIDsExactFilter = ["ann", "ben"]
    #expect(
      params(core.groupCalls.list(.mine(exact.values), nil))
        == #"{"members_exactly":["ann","ben"],"members_limit":100,"limit":20}"#)
    let open = PublicGroupChannelListQueryParams()
    open.channelNameContainsFilter = "trip"
    #expect(
      params(core.groupCalls.list(.publicGroups(open.values), nil))
        == #"{"public_only":true,"name_contains":"trip","members_limit":100,"limit":20}"#)
  }

  @Test("does not change a group that events keep up to date")
  func known() throws {
    let group = try core.knownGroup()
    let older = Sample.group(seq: 3, my: Sample.membership(unread: 5))
    let listed = core.listed(
      try page(.mine(.init()), older.replacing("Trip", with: "Old")), since: core.groupCoverage)
    #expect(listed == [group])
    #expect(group.name == "Trip" && group.unreadMessageCount == 1)
  }

  @Test("makes groups that events keep up to date from then on")
  func unknown() throws {
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    let listed = core.listed(try page(.mine(.init()), Sample.group()), since: core.groupCoverage)
    #expect(listed.map(\.name) == ["Trip"] && listed[0].state.view.isCovered)
    #expect(core.channels.isEntered("trip"))
  }

  @Test("that was requested before the events of groups came does not count as complete")
  func early() throws {
    let coverage = core.groupCoverage
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    let listed = core.listed(try page(.mine(.init()), Sample.group()), since: coverage)
    #expect(!listed[0].state.view.isCovered)
  }

  @Test("ends with invitations that have moved to an earlier page")
  func risen() throws {
    let invited = Sample.membership().replacing("joined\"", with: "invited\"")
    let changed = try ["trip", "club", "team"].map { url in
      try core.groupProperties(Sample.group(url, my: url == "team" ? Sample.membership : invited))
    }
    var listing = core.groupListing()
    #expect(listing.since == nil && listing.risen(changed) == ["trip", "club"])
    listing.add(["club"])
    listing.add(["other"])
    #expect(listing.risen(changed) == ["trip"])
    // A later list begins with what was read.
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    #expect(core.groupListing().since == "t")
    core.didReadGroupChanges(upTo: "u")
    #expect(core.groupListing().since == "u" && core.groupChangesToken == "t")
  }

  @Test("waits for the events of groups while they are to be expected")
  func readiness() async throws {
    #expect(core.groupReadiness() == nil)
    for isReady in [true, false] {
      core.receive(.stateChanged(.connecting))
      let ready = try #require(core.groupReadiness())
      if isReady {
        core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
      } else {
        core.receive(.stateChanged(.disconnected(because: .requested)))
      }
      for await _ in ready {}
      #expect(core.groupReadiness() == nil && core.hasGroupEvents == isReady)
    }
    await core.awaitGroupEvents()
  }

  @Test("without members keeps those that are known")
  func members() throws {
    var params = GroupChannelListQueryParams().values
    params.channels.includeMembers = false
    let lean = Sample.group().replacing("\"members\":[", with: "\"members\":[],\"others\":[")
    let listed = core.listed(try page(.mine(params), lean), since: core.groupCoverage)
    #expect(listed[0].members == [])
    core.receive(
      "group.joined",
      #"{"channel_url":"trip","seq":5,"ts":9,"user":\#(Sample.user),"member_count":4,"joined_member_count":3}"#
    )
    #expect(listed[0].members == [] && listed[0].memberCount == 4)
    _ = core.group(try core.groupProperties(Sample.group(seq: 5)))
    #expect(listed[0].members.count == 3)
    _ = core.listed(try page(.mine(params), lean), since: core.groupCoverage)
    #expect(listed[0].members.count == 3)
  }
}
