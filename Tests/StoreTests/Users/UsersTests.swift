import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Users in the store", .onEachDatabase, .onOwnThreads)
struct UsersTests {
  @Test("a new user is created with the given values, and keeps the values not given later")
  func upserts() async throws {
    let fixture = try await Fixture()
    let created = try await fixture.store.write {
      try $0.upsertUser("jeff", nickname: "Jeff", metadata: ["team": "red"], at: 77).user
    }
    #expect(created == User(id: "jeff", nickname: "Jeff", metadata: ["team": "red"]))
    let changed = try await fixture.store.write {
      try $0.upsertUser("jeff", profileURL: "https://a.b/c", at: 99).user
    }
    let expected = User(
      id: "jeff", nickname: "Jeff", profileURL: "https://a.b/c", metadata: ["team": "red"])
    #expect(changed == expected)
    let account = try await fixture.store.read { try $0.account("jeff") }
    #expect(account?.user == expected)
    #expect(account?.createdAt == 77)
    #expect(account?.isActive == true)
  }

  @Test("a user is created once, and then only changed")
  func creates() async throws {
    let fixture = try await Fixture()
    let created = try await fixture.store.write {
      try $0.createUser("jeff", nickname: "Jeff", metadata: ["team": "red"], at: 77)
    }
    #expect(created.user == User(id: "jeff", nickname: "Jeff", metadata: ["team": "red"]))
    #expect(created.createdAt == 77)
    #expect(created.lastSeenAt == 0)
    #expect(created.isActive)
    await #expect(throws: StoreError.exists) {
      try await fixture.store.write { try $0.createUser("jeff", at: 78) }
    }
    try await fixture.store.write { try $0.deactivateUser("jeff") }
    let changed = try await fixture.store.write {
      try $0.updateUser("jeff", profileURL: "https://a.b/c")
    }
    #expect(changed.user.nickname == "Jeff")
    #expect(changed.user.profileURL == "https://a.b/c")
    #expect(changed.user.metadata == ["team": "red"])
    #expect(try await fixture.store.read { try $0.account("jeff") } == changed)
    #expect(!changed.isActive)
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write { try $0.updateUser("nobody", nickname: "x") }
    }
  }

  @Test("the time a user was last seen is recorded once a minute, and never decreases")
  func notesSeen() async throws {
    let fixture = try await Fixture()
    var noted: [Int64?] = []
    for now: Int64 in [1_000_000, 1_059_999, 1_060_000, 500_000] {
      try await fixture.store.write { try $0.noteSeen("ann", at: now) }
      noted.append(try await fixture.store.read { try $0.account("ann")?.lastSeenAt })
    }
    #expect(noted == [1_000_000, 1_000_000, 1_060_000, 1_060_000])
    try await fixture.store.write { try $0.noteSeen("nobody", at: 1_000_000) }
    #expect(try await fixture.store.read { try $0.user("nobody") } == nil)
  }

  @Test("IDs are case-sensitive and may contain any character")
  func comparesExactly() async throws {
    let fixture = try await Fixture()
    let id = "Ünï'; DROP TABLE users; -- \u{1F600}"
    try await fixture.store.write { _ = try $0.upsertUser(id, nickname: "x", at: 1) }
    let found = try await fixture.store.read { try $0.users(["ann", "ANN", id, "nobody"]) }
    #expect(Set(found.keys) == ["ann", id])
  }

  @Test("a deactivated user remains deactivated until it is activated again")
  func deactivates() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { try $0.deactivateUser("ann") }
    #expect(try await fixture.store.read { try $0.account("ann") }?.isActive == false)
    try await fixture.store.write { try $0.activateUser("ann") }
    #expect(try await fixture.store.read { try $0.account("ann") }?.isActive == true)
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write { try $0.deactivateUser("nobody") }
    }
  }

  @Test("the hash of the issued token identifies its user, until it is revoked")
  func keepsTokens() async throws {
    let fixture = try await Fixture()
    let hash = [UInt8](0..<32)
    func stored(_ userID: String) async throws -> [UInt8]? {
      try await fixture.store.read { try $0.account(userID)?.accessTokenHash }
    }
    try await fixture.store.write { try $0.setAccessTokenHash(hash, userID: "ann") }
    #expect(try await stored("ann") == hash)
    #expect(try await stored("bob") == nil)
    try await fixture.store.write { try $0.setAccessTokenHash(nil, userID: "ann") }
    #expect(try await stored("ann") == nil)
  }
}
