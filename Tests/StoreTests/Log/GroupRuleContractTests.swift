import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The rules of groups in the log", .serialized, .onOwnThreads)
struct GroupRuleContractTests {
  private static func rules(_ change: (inout GroupRules) -> Void) -> GroupRules {
    var rules = GroupRules()
    change(&rules)
    return rules
  }

  @Test(
    "users who have not chosen join or are invited, as the rules say", arguments: LogKind.allCases)
  func acceptance(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let asking = Self.rules { $0.acceptsInvitations = false }
    let den = try #require(
      await fixture.create(inviting: ["bob", "dan"], under: asking).state)
    #expect(den.members.map(\.state) == [.joined, .invited, .invited])
    _ = await fixture.change(den.place, .invite(["cy"], by: nil, under: asking))
    #expect(try await fixture.member("cy", of: den.place).state == .invited)
    // Whoever has chosen is asked all the same.
    let open = try #require(await fixture.create("open", inviting: ["bob", "dan"]).state)
    #expect(open.members.map(\.state) == [.joined, .joined, .invited])
  }

  @Test(
    "with past messages a history has no beginning, and none of it is unread",
    arguments: LogKind.allCases)
  func pastMessages(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let rules = Self.rules { $0.showsPastMessages = true }
    let den = try #require(await fixture.create(inviting: ["bob"], under: rules).state?.place)
    _ = await fixture.change(den, .join(userID: "dan", visibleFrom: 20, under: rules))
    #expect(try await fixture.member("dan", of: den).position == ReadPosition())
    try await fixture.post(["ann", "bob", nil], from: 3, to: den)
    let read = ReadPosition(ordinal: 3, readAt: 50)
    _ = await fixture.change(den, .invite(["cy"], by: nil, under: rules))
    _ = await fixture.change(den, .depart(["bob", "dan"], .left))
    _ = await fixture.change(
      den, .invite(["dan"], by: nil, under: rules),
      .join(userID: "bob", visibleFrom: 60, under: rules),
      .join(userID: "dan", visibleFrom: 60, under: rules))
    for userID in ["cy", "bob", "dan"] {
      let member = try await fixture.member(userID, of: den)
      #expect(member.visibleFrom == 0 && member.position == read, "\(member)")
    }
    #expect(try await fixture.unread(in: den) == ["ann": 2, "bob": 0, "cy": 0, "dan": 0])
    _ = await fixture.changeOwn(.markUnread(from: 3), of: "bob", in: den)
    #expect(try await fixture.unread(in: den)["bob"] == 2)
  }

  @Test("a user joins and is invited to as many groups as the rules permit", .onEachDatabase)
  func limits() async throws {
    let fixture = try await LogFixture(StoreUnderTest.current == .sqlite ? .sqlite : .postgreSQL)
    let rules = Self.rules { ($0.joinedLimit, $0.invitedLimit) = (2, 1) }
    var places: [LogChannel] = []
    for number in 0..<2 {
      let state = try #require(
        await fixture.create("g\(number)", inviting: ["bob"], under: rules).state)
      #expect(state.channel.group?.joinedCount == 2)
      places.append(state.place)
    }
    #expect(
      await fixture.create("g2", inviting: ["cy"], under: rules).error == .tooManyGroups(limit: 2))
    // bob has no room for a third group, so it is asked; then it has no room for invitations either.
    let third = try #require(
      await fixture.create("g3", by: "cy", inviting: ["bob"], under: rules).state)
    #expect(third.members.map { "\($0.user.id) \($0.state)" } == ["bob invited", "cy joined"])
    let fourth = try #require(
      await fixture.create("g4", by: "cy", inviting: ["bob", "dan"], under: rules).state)
    #expect(fourth.members.map(\.user.id) == ["cy", "dan"])
    #expect(fourth.channel.group?.memberCount == 2)
    #expect(
      await fixture.change(third.place, .join(userID: "bob", visibleFrom: 5, under: rules)).error
        == .tooManyGroups(limit: 2))
    let invited = await fixture.change(
      places[0], .invite(["bob", "dan"], by: nil, under: rules)
    ).changes
    #expect(invited == [.unchanged])
    #expect(await fixture.state("g0")?.channel.group?.memberCount == 2)
    // A distinct group is one of all of its users.
    #expect(
      await fixture.create("pair", by: "eve", isDistinct: true, inviting: ["bob"], under: rules)
        .error
        == .deactivated("eve"))
    let wider = Self.rules { ($0.joinedLimit, $0.invitedLimit) = (3, 1) }
    #expect(
      await fixture.create("pair", isDistinct: true, inviting: ["dan"], under: wider).error
        == .tooManyInvitations(userID: "dan", limit: 1))
    #expect(await fixture.state("pair") == nil)
    #expect(
      await fixture.create("pair", isDistinct: true, inviting: ["bob"], under: wider).state?
        .channel.group?.joinedCount == 2)
  }

  @Test("groups without members are found by the time since which they are empty", .onEachDatabase)
  func emptyGroups() async throws {
    let fixture = try await LogFixture(StoreUnderTest.current == .sqlite ? .sqlite : .postgreSQL)
    let store = try #require(fixture.store)
    func empty(_ time: Int64, limit: Int = 9) async throws -> [String] {
      try await store.perform(EmptyGroups(since: time, limit: limit))
    }
    // Created at 10; changes are at 20.
    let bare = try #require(await fixture.create("bare", by: nil).state?.place)
    let left = try #require(await fixture.create("left", inviting: ["dan"]).state?.place)
    let kept = try #require(await fixture.create("kept", inviting: ["dan"]).state?.place)
    _ = await fixture.change(left, .depart(["ann"], .left))
    #expect(try await empty(100) == ["bare"])
    _ = await fixture.change(left, .depart(["dan"], .declined))
    _ = await fixture.change(kept, .depart(["ann"], .left))
    #expect(try await empty(9) == [])
    #expect(try await empty(10) == ["bare"])
    #expect(try await empty(20) == ["bare", "left"])
    #expect(try await empty(20, limit: 1) == ["bare"])
    _ = await fixture.change(left, .join(userID: "bob", visibleFrom: 0))
    _ = await fixture.change(bare, .invite(["dan"], by: nil))
    #expect(try await empty(100) == [])
    _ = await fixture.change(bare, .depart(["dan"], .removed))
    #expect(try await empty(19) == [])
    #expect(try await empty(20) == ["bare"])
    _ = await fixture.perform(.write(.remove(at: 30), bare))
    #expect(try await empty(100) == [])
  }
}
