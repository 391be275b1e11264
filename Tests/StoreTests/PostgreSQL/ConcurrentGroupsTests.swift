import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Servers that change groups at once", .serialized, .onOwnThreads)
struct ConcurrentGroupsTests {
  private let fixture: Fixture
  private var store: Store { fixture.store }

  init() async throws {
    fixture = try await StoreUnderTest.$current.withValue(.postgreSQL) { try await Fixture() }
  }

  private func other(_ statements: String...) throws -> OtherServer {
    guard case .postgreSQL(let url) = fixture.place else { throw StoreError.closed }
    return try OtherServer(url, statements)
  }

  private static let group = Channel(
    url: "den", createdAt: 5, group: Group(isDistinct: true, createdBy: User(id: "ann")))

  @Test("a distinct group that another server creates is found")
  func distinctGroup() async throws {
    let key = DistinctKey.make(of: ["bob", "ann"])
    let other = try other(
      """
      WITH made AS (
        INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
          is_frozen, created_at, epoch, is_group)
        VALUES ('first', '', '', '', '', '', 0, 0, 1, 'e', 1) RETURNING channel_id)
      INSERT INTO groups (channel_id, is_distinct, is_public, access_code, member_count, joined_count,
        distinct_key)
      SELECT channel_id, 1, 0, '', 0, 0, '\(key)' FROM made
      """)
    let outcome = try await other.race { [store] in
      try await store.write { try $0.createGroup(Self.group, epoch: "e", inviting: ["bob"]) }
    }
    #expect(LogResult.success(outcome).found?.channel.url == "first")
    #expect(try await store.read { try $0.channel("den") } == nil)
  }

  @Test("servers that create a distinct group at once make one")
  func distinctGroups() async throws {
    guard case .postgreSQL(let url) = fixture.place else { throw StoreError.closed }
    store.close()
    var options = StoreOptions()
    options.sharing = .shared
    options.sessionLimits = .patient
    let stores = try (0..<2).map { [options] _ in
      try Store(.postgreSQL(url: url), options: options)
    }
    let outcomes = try await withThrowingTaskGroup(of: LogOutcome.self) { group in
      for number in 0..<30 {
        group.addTask {
          try await stores[number % 2].write { transaction in
            let creator = number.isMultiple(of: 3) ? "ann" : "bob"
            let channel = Channel(
              url: "g\(number)", createdAt: 5,
              group: Group(isDistinct: true, createdBy: User(id: creator)))
            return try transaction.createGroup(
              channel, epoch: "e", inviting: ["cy", "bob", "ann"])
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let results = outcomes.map { LogResult.success($0) }
    let made = results.compactMap(\.state)
    #expect(made.count == 1)
    #expect(results.compactMap(\.found).map(\.id) == Array(repeating: made[0].id, count: 29))
    for store in stores { store.close() }
  }

  @Test("a user whom another server adds to a group is not deleted")
  func member() async throws {
    try await store.write { _ = try $0.createGroup(Self.group, epoch: "e", inviting: ["cy"]) }
    let other = try other(
      "SELECT 1 FROM users WHERE user_id = 'bob' FOR KEY SHARE",
      """
      INSERT INTO members (channel_id, user_id, state, added_at)
      SELECT channel_id, 'bob', 1, 9 FROM channels WHERE url = 'den'
      """)
    let deletion = try await other.race { [store] in
      try await store.perform(UserDeletionStep("bob"))
    }
    #expect(deletion == .unfinished(UserTraces(unbannedFrom: [], unmutedIn: [])))
  }

  @Test("a user whom another server deletes becomes no member")
  func deletedMember() async throws {
    try await store.write { _ = try $0.createGroup(Self.group, epoch: "e", inviting: ["cy"]) }
    let other = try other(
      "SELECT 1 FROM users WHERE user_id = 'bob' FOR UPDATE",
      "DELETE FROM users WHERE user_id = 'bob'")
    await #expect(throws: StoreError.noUser("bob")) {
      _ = try await other.race { [store] in
        try await store.write { try $0.invite(["bob"], by: nil, to: "den", at: 9) }
      }
    }
    let group = try await store.read { try $0.channel("den") }?.channel.group
    #expect(group?.memberCount == 2 && group?.isDistinct == true)
  }
}
