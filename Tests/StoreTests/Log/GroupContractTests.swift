import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The contract of the log for groups", .serialized, .onOwnThreads)
struct GroupContractTests {
  private static func joined(
    _ id: String, by inviterID: String? = "ann", at time: Int64 = 10, visibleFrom: Int64 = 0
  ) -> Member {
    Member(
      user: LogFixture.user(id), state: .joined, inviterID: inviterID, invitedAt: time,
      joinedAt: time, visibleFrom: visibleFrom)
  }

  private static func invited(
    _ id: String, by inviterID: String? = "ann", at time: Int64 = 10
  )
    -> Member
  {
    Member(user: LogFixture.user(id), state: .invited, inviterID: inviterID, invitedAt: time)
  }

  @Test(
    "a group begins with its creator and those who join or are invited", arguments: LogKind.allCases
  )
  func creation(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    var group = LogFixture.group("den", operators: ["ann"])
    group.group?.isPublic = true
    group.group?.accessCode = "sesame"
    let created = await fixture.perform(
      .create(group, epoch: "e", inviting: ["dan", "cy", "ann", "bob", "cy"]))
    let state = try #require(created.state)
    #expect(
      state.channel.group
        == Group(
          isPublic: true, accessCode: "sesame", createdBy: LogFixture.user("ann"), memberCount: 4,
          joinedCount: 3))
    #expect(state.channel.operators == [LogFixture.user("ann")])
    let creator = Member(user: LogFixture.user("ann"), state: .joined, joinedAt: 10)
    #expect(
      state.members == [
        creator, Self.joined("bob"), Self.joined("cy"), Self.invited("dan"),
      ])
    #expect(
      try await fixture.events(state.place) == [
        "1 invited dan by ann 4/3", "2 joined bob 3/2", "3 joined cy 4/3",
      ])
    #expect(state.lastSeq == 3 && state.lastOrdinal == 0)
    #expect(await fixture.state("den") == state)
    #expect(await fixture.perform(.takeOver(url: "den")).state?.members == state.members)
  }

  @Test("a group that the Platform API creates has no creator", arguments: LogKind.allCases)
  func platform(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let state = try #require(await fixture.create(by: nil, inviting: ["bob"]).state)
    #expect(state.channel.group == Group(memberCount: 1, joinedCount: 1))
    #expect(state.members == [Self.joined("bob", by: nil)])
    #expect(try await fixture.events(state.place) == ["1 joined bob 1/1"])
    let empty = try #require(await fixture.create("void", by: nil).state)
    #expect(empty.channel.group == Group() && empty.members == [] && empty.lastSeq == 0)
  }

  @Test(
    "a group with an unknown or deactivated user is not created", arguments: LogKind.allCases)
  func refusals(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    #expect(await fixture.create(inviting: ["bob", "nobody"]).error == .noUser("nobody"))
    #expect(await fixture.create(inviting: ["eve", "bob"]).error == .deactivated("eve"))
    #expect(await fixture.create(by: "nobody").error == .noUser("nobody"))
    #expect(await fixture.create(by: "eve").error == .deactivated("eve"))
    let operated = LogFixture.group("den", operators: ["nobody"])
    #expect(
      await fixture.perform(.create(operated, epoch: "e", inviting: ["bob"])).error
        == .noUser("nobody"))
    #expect(await fixture.state("den") == nil)
    #expect(await fixture.create("lobby").error == .exists)
    #expect(await fixture.create(inviting: ["bob"]).state?.members.count == 2)
    #expect(await fixture.create(inviting: ["cy"]).error == .exists)
  }

  @Test("a distinct group is found by its users", arguments: LogKind.allCases)
  func distinct(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let first = try #require(
      await fixture.create("one", isDistinct: true, inviting: ["bob", "dan"]).state)
    #expect(first.channel.group?.isDistinct == true)
    for (creator, ids) in [
      ("ann", ["dan", "bob", "bob", "ann"]), ("bob", ["ann", "dan"]), (nil, ["dan", "ann", "bob"]),
    ] {
      let found = await fixture.create("two", by: creator, isDistinct: true, inviting: ids).found
      #expect(found == first)
    }
    // Its own URL does not matter either.
    #expect(
      await fixture.create("lobby", isDistinct: true, inviting: ["bob", "dan"]).found?.id
        == first.id)
    #expect(await fixture.state("two") == nil)
    #expect(await fixture.create("other", inviting: ["bob", "dan"]).state != nil)
    let fewer = try #require(await fixture.create("few", isDistinct: true, inviting: ["bob"]).state)
    let alone = try #require(await fixture.create("me", isDistinct: true).state)
    #expect(await fixture.create("x", isDistinct: true, inviting: ["ann"]).found?.id == alone.id)
    #expect(
      await fixture.create("x", by: "bob", isDistinct: true, inviting: ["ann"]).found?.id
        == fewer.id)
  }

  @Test(
    "a group is no longer distinct once its users are others", arguments: LogKind.allCases)
  func endOfDistinction(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    func make(_ url: String) async throws -> LogChannel {
      try #require(
        await fixture.create(url, isDistinct: true, inviting: ["bob", "dan"]).state?.place)
    }
    let first = try await make("g0")
    let accepted = await fixture.change(first, .join(userID: "dan", visibleFrom: 0))
    #expect(accepted.changed?.group?.isDistinct == true)
    #expect(
      await fixture.create("x", isDistinct: true, inviting: ["bob", "dan"]).found?.id == first.id)
    let changes: [ChannelChange] = [
      .invite(["cy"], by: nil), .join(userID: "cy", visibleFrom: 0), .depart(["bob"], .left),
      .depart(["dan"], .declined),
    ]
    var place = first
    for (number, change) in changes.enumerated() {
      let changed = await fixture.change(place, change)
      #expect(changed.changed?.group?.isDistinct == false, "\(change)")
      #expect(await fixture.state(place.url)?.channel.group?.isDistinct == false)
      place = try await make("g\(number + 1)")
    }
    // A deleted one is not found either.
    #expect(await fixture.perform(.write(.remove(at: 30), place)).error == nil)
    #expect(await fixture.create("last", isDistinct: true, inviting: ["dan", "bob"]).state != nil)
  }

  @Test("twenty creations of a distinct group at once make one", arguments: LogKind.allCases)
  func race(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let results = await withTaskGroup(of: LogResult.self) { group in
      for number in 0..<20 {
        group.addTask {
          number.isMultiple(of: 2)
            ? await fixture.create("g\(number)", isDistinct: true, inviting: ["bob", "cy"])
            : await fixture.create(
              "g\(number)", by: "cy", isDistinct: true, inviting: ["ann", "bob"])
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    let made = results.compactMap(\.state)
    #expect(made.count == 1)
    #expect(results.compactMap(\.found).map(\.id) == Array(repeating: made[0].id, count: 19))
  }

  @Test("users are invited, and join unless they are asked", arguments: LogKind.allCases)
  func invitations(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    let ann = LogFixture.user("ann")
    let invited = await fixture.change(
      den, .invite(["cy", "dan", "ann", "cy", "bob"], by: ann), .invite(["bob", "dan"], by: ann))
    #expect(
      invited.changes?.members == [["joined cy 2", "invited dan 1", "joined bob 3"], []])
    #expect(invited.changes?.last == .unchanged)
    #expect(invited.changed?.group == Group(createdBy: ann, memberCount: 4, joinedCount: 3))
    guard case .members(let records)? = invited.changes?.first else { return #expect(Bool(false)) }
    let members = [
      Self.joined("cy", at: 20, visibleFrom: 20), Self.invited("dan", at: 20),
      Self.joined("bob", at: 20, visibleFrom: 20),
    ]
    #expect(records.map(\.member) == members)
    #expect(
      try await fixture.events(den) == [
        "1 invited dan by ann 4/3", "2 joined cy 3/2", "3 joined bob 4/3",
      ])
    let state = try #require(await fixture.state("den"))
    #expect(state.members.map(\.user.id) == ["ann", "bob", "cy", "dan"])
    #expect(Set(state.members.dropFirst()) == Set(members))
    #expect(state.lastSeq == 3)
    // The Platform API has no profile.
    let hut = try #require(await fixture.create("hut").state?.place)
    _ = await fixture.change(hut, .invite(["dan"], by: nil))
    #expect(try await fixture.events(hut) == ["1 invited dan by - 2/1"])
    #expect(await fixture.state("hut")?.members.last?.inviterID == nil)
  }

  @Test(
    "an invitation of an unknown or deactivated user changes nothing", arguments: LogKind.allCases)
  func refusedInvitations(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let before = try #require(await fixture.create(inviting: ["bob"]).state)
    #expect(
      await fixture.change(before.place, .freeze(true), .invite(["cy", "nobody"], by: nil)).error
        == .noUser("nobody"))
    #expect(
      await fixture.change(before.place, .depart(["bob"], .left), .invite(["eve"], by: nil)).error
        == .deactivated("eve"))
    #expect(
      await fixture.change(before.place, .join(userID: "nobody", visibleFrom: 0)).error
        == .noUser("nobody"))
    #expect(await fixture.state("den") == before)
  }

  @Test(
    "messages before an invitation stay hidden if the clock was set back",
    arguments: LogKind.allCases)
  func setBack(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    _ = await fixture.perform(.write(.append(fixture.message(1, at: 500)), den))
    guard
      case .members(let records)? = await fixture.change(den, .invite(["bob"], by: nil)).changes?[0]
    else { return #expect(Bool(false)) }
    #expect(records[0].member.joinedAt == 20 && records[0].member.visibleFrom == 500)
  }

  @Test("invited users and others join", arguments: LogKind.allCases)
  func joining(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["dan"]).state?.place)
    let results = await fixture.change(
      den, .join(userID: "dan", visibleFrom: 15), .join(userID: "dan", visibleFrom: 17),
      .join(userID: "cy", visibleFrom: 16))
    #expect(results.changes?.members == [["joined dan 2"], [], ["joined cy 3"]])
    #expect(results.changes?[1] == .unchanged)
    #expect(results.changed?.group?.memberCount == 3)
    #expect(results.changed?.group?.joinedCount == 3)
    #expect(
      try await fixture.events(den) == [
        "1 invited dan by ann 2/1", "2 joined dan 2/2", "3 joined cy 3/3",
      ])
    let members = await fixture.state("den")?.members
    // A member keeps its place in the list when it accepts.
    #expect(members?.map(\.user.id) == ["ann", "dan", "cy"])
    #expect(
      members?[1]
        == Member(
          user: LogFixture.user("dan"), state: .joined, inviterID: "ann", invitedAt: 10,
          joinedAt: 20, visibleFrom: 15))
    #expect(
      members?[2]
        == Member(user: LogFixture.user("cy"), state: .joined, joinedAt: 20, visibleFrom: 16))
  }

  @Test("members leave, and invited ones decline", arguments: LogKind.allCases)
  func departures(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let before = try #require(await fixture.create(inviting: ["bob", "cy", "dan"]).state)
    let (den, seq) = (before.place, before.lastSeq)
    let left = await fixture.change(
      den, .depart(["cy", "dan", "nobody", "cy"], .removed), .depart(["cy"], .left),
      .depart(["ann"], .deletedUser))
    #expect(
      left.changes?.members == [
        ["joined cy \(seq + 1)", "invited dan \(seq + 2)"], [], ["joined ann \(seq + 3)"],
      ])
    #expect(left.changes?[1] == .unchanged)
    guard case .members(let records)? = left.changes?.first else { return #expect(Bool(false)) }
    #expect(records.map(\.member) == Array(before.members[2...]))
    #expect(left.changed?.group?.memberCount == 1)
    #expect(left.changed?.group?.joinedCount == 1)
    #expect(
      try await fixture.events(den, after: seq) == [
        "\(seq + 1) removed cy 3/2", "\(seq + 2) declined dan 2/2",
        "\(seq + 3) deleted_user ann 1/1",
      ])
    #expect(await fixture.state("den")?.members.map(\.user.id) == ["bob"])
    // The last one may leave, and a stranger may be invited back.
    let last = await fixture.change(den, .depart(["bob"], .left), .invite(["ann"], by: nil))
    #expect(last.changed?.group?.memberCount == 1)
    #expect(
      await fixture.state("den")?.members == [Self.joined("ann", by: nil, at: 20, visibleFrom: 20)])
  }

  @Test("visibility and access code are fields of a group", arguments: LogKind.allCases)
  func fields(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    let results = await fixture.change(
      den, .fields(ChannelChanges(isPublic: true, accessCode: "open")),
      .fields(ChannelChanges(isPublic: true)), .fields(ChannelChanges(accessCode: "")))
    #expect(results.changes == [.made(seq: 1), .unchanged, .made(seq: 2)])
    #expect(results.changed?.group?.isPublic == true && results.changed?.group?.accessCode == "")
    #expect(await fixture.state("den")?.channel == results.changed)
    #expect(
      await fixture.change(den, .fields(ChannelChanges(accessCode: "a\u{0}b"))).error
        == .unstorableText)
    // An open channel has neither.
    let open = await fixture.change(
      fixture.lobby, .fields(ChannelChanges(isPublic: true, accessCode: "open")))
    #expect(open.changes == [.unchanged])
    #expect(await fixture.state("lobby")?.channel.group == nil)
  }

  @Test("an open channel has no members", arguments: LogKind.allCases)
  func openChannel(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let results = await fixture.change(
      fixture.lobby, .invite(["bob"], by: nil), .join(userID: "bob", visibleFrom: 0),
      .depart(["bob"], .left))
    #expect(results.changes == [.unchanged, .unchanged, .unchanged])
    let state = await fixture.state("lobby")
    #expect(state?.members == [] && state?.lastSeq == 0 && state?.channel.group == nil)
  }

  @Test("a write with an old term changes no member", arguments: LogKind.allCases)
  func fences(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["bob"]).state?.place)
    let taken = await fixture.perform(.takeOver(url: "den")).state
    for change in [
      ChannelChange.invite(["cy"], by: nil), .join(userID: "cy", visibleFrom: 0),
      .depart(["bob"], .left),
    ] {
      #expect(await fixture.change(den, change).error == .fenced)
    }
    #expect(await fixture.state("den") == taken)
  }
}
