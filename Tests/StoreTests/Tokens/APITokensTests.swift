import TestSupport
import Testing

@testable import Store

@Suite("Tokens of the Platform API", .onEachDatabase, .onOwnThreads)
struct APITokensTests {
  private func token(_ name: String, _ hash: [UInt8], at now: Int64 = 10) -> APIToken {
    APIToken(name: name, hash: hash, createdAt: now)
  }

  @Test("tokens are listed by name until they are revoked by their hash")
  func keeps() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      [shop = token("shop", [1]), admin = token("admin", [2], at: 20)] in
      try $0.addAPIToken(shop)
      try $0.addAPIToken(admin)
    }
    let listed = try await fixture.store.read { try $0.apiTokens() }
    #expect(listed.map(\.name) == ["admin", "shop"])
    #expect(listed.map(\.hash) == [[2], [1]])
    #expect(listed.map(\.createdAt) == [20, 10])
    #expect(listed.map(\.lastUsedAt) == [0, 0])
    try await fixture.store.write { try $0.revokeAPIToken(hash: [1]) }
    #expect(try await fixture.store.read { try $0.apiTokens() }.map(\.name) == ["admin"])
    await #expect(throws: StoreError.notFound(.token)) {
      try await fixture.store.write { try $0.revokeAPIToken(hash: [1]) }
    }
  }

  @Test("names and hashes are unique, and there are at most a hundred tokens")
  func refuses() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { [first = token("0", [0])] in try $0.addAPIToken(first) }
    for taken in [token("0", [9]), token("x", [0])] {
      await #expect(throws: StoreError.exists) {
        try await fixture.store.write { try $0.addAPIToken(taken) }
      }
    }
    let others = (UInt8(1)..<100).map { token("\($0)", [$0]) }
    try await fixture.store.write { for other in others { try $0.addAPIToken(other) } }
    await #expect(throws: StoreError.tooManyItems(limit: 100)) {
      try await fixture.store.write { [one = token("x", [200])] in try $0.addAPIToken(one) }
    }
  }

  @Test("a token keeps its role, and a token with an unknown role may only read")
  func roles() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      try $0.addAPIToken(APIToken(name: "a", hash: [1], role: .admin, createdAt: 1))
      try $0.addAPIToken(APIToken(name: "b", hash: [2], role: .viewer, createdAt: 1))
      try $0.addAPIToken(APIToken(name: "c", hash: [3], createdAt: 1))
      try $0.connection.execute("UPDATE api_tokens SET role = 'sovereign' WHERE name = 'c'")
    }
    let tokens = try await fixture.store.read { try $0.apiTokens() }
    #expect(tokens.map(\.role) == [.admin, .viewer, .viewer])
  }

  @Test("a token keeps its expiry, and by default has none")
  func expiry() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      try $0.addAPIToken(
        APIToken(name: "a", hash: [1], role: .moderator, createdAt: 1, expiresAt: 9))
      try $0.addAPIToken(APIToken(name: "b", hash: [2], createdAt: 1))
    }
    let tokens = try await fixture.store.read { try $0.apiTokens() }
    #expect(tokens.map(\.expiresAt) == [9, nil])
    #expect(tokens.map(\.role) == [.moderator, .admin])
  }

  @Test("the last use of a token is recorded once a minute")
  func notesUse() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { [shop = token("shop", [1])] in
      try $0.addAPIToken(shop)
      for now: Int64 in [100_000, 159_999, 90_000] {
        try $0.noteAPITokenUsed(hash: [1], at: now)
      }
    }
    let tokens = try await fixture.store.read { try $0.apiTokens() }
    #expect(tokens.map(\.lastUsedAt) == [100_000])
  }

  @Test("a token's ID is unique, and not part of its hash")
  func ids() {
    let (one, other) = (token("one", [1]), token("other", [2]))
    #expect(one.id.count == 16)
    #expect(one.id != other.id)
    #expect(one.id == token("renamed", [1]).id)
  }
}
