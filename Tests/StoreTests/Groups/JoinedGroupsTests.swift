import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Groups of a user", .onEachDatabase, .onOwnThreads)
struct JoinedGroupsTests {
  @Test("the groups that a user has joined are found, in the order of their creation")
  func joined() async throws {
    let fixture = try await Fixture()
    try await fixture.store.perform(
      UserChoicesChange(of: "cy", acceptsInvitations: false))
    try await fixture.store.write { transaction in
      for number in 0..<9 {
        _ = try transaction.createGroup(
          Channel(
            url: "g\(number)", createdAt: Int64(20 - number),
            group: Group(createdBy: User(id: "ann"))),
          epoch: "e", inviting: number.isMultiple(of: 2) ? ["bob", "cy"] : ["cy"])
      }
      _ = try transaction.depart(["bob"], from: "g4", .left, at: 30)
      _ = try transaction.join("cy", "g3", visibleFrom: 0, at: 30)
      _ = try transaction.deleteChannel("g0", at: 30)
    }
    func urls(_ id: String, limit: Int = 2_000) async throws -> [String] {
      try await fixture.store.perform(JoinedGroups(of: id, limit: limit)).urls
    }
    #expect(try await urls("ann") == (1..<9).map { "g\($0)" })
    #expect(try await urls("bob") == ["g2", "g6", "g8"])
    #expect(try await urls("cy") == ["g3"])
    #expect(try await urls("nobody") == [])
    #expect(try await urls("ann", limit: 3) == ["g1", "g2", "g3"])
  }

  @Test("a user chooses whether it joins when it is invited")
  func preference() async throws {
    let fixture = try await Fixture()
    #expect(try await fixture.store.perform(UserChoicesLookup(of: "ann")).acceptsInvitations == nil)
    try await fixture.store.perform(
      UserChoicesChange(of: "ann", acceptsInvitations: false))
    #expect(
      try await fixture.store.perform(UserChoicesLookup(of: "ann")).acceptsInvitations == false)
    // A change of the profile keeps the choice.
    try await fixture.store.perform(ProfileChange("ann", nickname: "A", at: 5))
    #expect(
      try await fixture.store.perform(UserChoicesLookup(of: "ann")).acceptsInvitations == false)
    try await fixture.store.perform(
      UserChoicesChange(of: "ann", acceptsInvitations: true))
    #expect(
      try await fixture.store.perform(UserChoicesLookup(of: "ann")).acceptsInvitations == true)
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.perform(UserChoicesLookup(of: "nobody"))
    }
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.perform(
        UserChoicesChange(of: "nobody", acceptsInvitations: true))
    }
  }

  @Test("ids that Swift takes for equal are different users")
  func equivalentIDs() async throws {
    let fixture = try await Fixture()
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    try await fixture.store.write { transaction in
      for id in ids { _ = try transaction.upsertUser(id, at: 1) }
    }
    let outcomes = try await fixture.store.write { transaction in
      try (ids + [ids[0]]).enumerated().map { number, id in
        let group = Channel(
          url: "g\(number)", createdAt: 5,
          group: Group(isDistinct: true, createdBy: User(id: "ann")))
        return try transaction.createGroup(group, epoch: "e", inviting: [id])
      }
    }
    let states = outcomes.compactMap { outcome in
      if case .channel(let state) = outcome { state } else { nil }
    }
    #expect(states.map(\.channel.url) == ["g0", "g1"])
    for (state, id) in zip(states, ids) {
      let member = state.members.first { $0.user.id != "ann" }
      #expect(member?.user.id.utf8.elementsEqual(id.utf8) == true)
    }
    let recorded = try await fixture.store.write { try $0.invite(ids, by: nil, to: "g0", at: 9) }
    #expect(recorded.map { Array($0.member.user.id.utf8) } == [Array(ids[1].utf8)])
    let left = try await fixture.store.write { try $0.depart(ids, from: "g0", .left, at: 9) }
    #expect(left.count == 2)
  }
}
