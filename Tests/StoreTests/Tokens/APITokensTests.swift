import Testing

@testable import Store

@Suite("Tokens of the Platform API")
struct APITokensTests {
  @Test("a token is found by its hash until it is revoked, and listed by its name")
  func keeps() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      try transaction.addAPIToken("shop", hash: [1], at: 10)
      try transaction.addAPIToken("admin", hash: [2], at: 20)
    }
    let (listed, found, missing) = try await fixture.store.read {
      (try $0.apiTokens(), try $0.apiToken(hash: [1]), try $0.apiToken(hash: [3]))
    }
    #expect(listed.map(\.name) == ["admin", "shop"])
    #expect(listed.map(\.createdAt) == [20, 10])
    #expect(listed.map(\.lastUsedAt) == [0, 0])
    #expect(found?.name == "shop")
    #expect(missing == nil)
    try await fixture.store.write { try $0.revokeAPIToken("shop") }
    #expect(try await fixture.store.read { try $0.apiToken(hash: [1]) } == nil)
    await #expect(throws: StoreError.notFound(.token)) {
      try await fixture.store.write { try $0.revokeAPIToken("shop") }
    }
  }

  @Test("neither a name nor a hash is taken twice, and there are a hundred at most")
  func refuses() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { try $0.addAPIToken("0", hash: [0], at: 10) }
    for (name, hash) in [("0", [9]), ("x", [0])] as [(String, [UInt8])] {
      await #expect(throws: StoreError.exists) {
        try await fixture.store.write { try $0.addAPIToken(name, hash: hash, at: 10) }
      }
    }
    try await fixture.store.write { transaction in
      for number in UInt8(1)..<100 {
        try transaction.addAPIToken("\(number)", hash: [number], at: 10)
      }
    }
    await #expect(throws: StoreError.tooManyItems(limit: 100)) {
      try await fixture.store.write { try $0.addAPIToken("x", hash: [200], at: 10) }
    }
  }

  @Test("when a token was used is noted once a minute")
  func notesUse() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      try transaction.addAPIToken("shop", hash: [1], at: 10)
      for now: Int64 in [100_000, 159_999, 90_000] {
        try transaction.noteAPITokenUsed("shop", at: now)
      }
    }
    let token = try await fixture.store.read { try $0.apiToken(hash: [1]) }
    #expect(token?.lastUsedAt == 100_000)
  }
}
