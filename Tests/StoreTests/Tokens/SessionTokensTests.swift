import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Tokens of users", .onEachDatabase, .onOwnThreads)
struct SessionTokensTests {
  private func find(_ fixture: Fixture, _ hash: [UInt8], at now: Int64) async throws -> IssuedToken?
  {
    try await fixture.store.read { try $0.issuedToken(hash: hash, at: now) }
  }

  @Test("a user may have several session tokens and an access token, each found by its hash")
  func finds() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      try transaction.setAccessTokenHash([1, 1], userID: "ann")
      try transaction.addSessionToken([2, 2], userID: "ann", expiresAt: 200, at: 10)
      try transaction.addSessionToken([3, 3], userID: "ann", expiresAt: 300, at: 10)
    }
    #expect(try await find(fixture, [1, 1], at: 999) == IssuedToken(userID: "ann", expiresAt: nil))
    #expect(try await find(fixture, [2, 2], at: 199) == IssuedToken(userID: "ann", expiresAt: 200))
    #expect(try await find(fixture, [3, 3], at: 199) == IssuedToken(userID: "ann", expiresAt: 300))
    #expect(try await find(fixture, [2, 2], at: 200) == nil)
    #expect(try await find(fixture, [2], at: 1) == nil)
    #expect(try await find(fixture, [], at: 1) == nil)
  }

  @Test("revoking removes a user's session tokens and nothing else")
  func revokes() async throws {
    let fixture = try await Fixture()
    let count = try await fixture.store.write { transaction in
      try transaction.setAccessTokenHash([1], userID: "ann")
      for (hash, user) in [(2, "ann"), (3, "ann"), (4, "bob")] as [(UInt8, String)] {
        try transaction.addSessionToken([hash], userID: user, expiresAt: 200, at: 10)
      }
      return try transaction.removeSessionTokens("ann")
    }
    #expect(count == 2)
    var found: [String?] = []
    for hash in UInt8(1)...4 { found.append(try await find(fixture, [hash], at: 1)?.userID) }
    #expect(found == ["ann", nil, nil, "bob"])
  }

  @Test("the tokens of a user survive a restart")
  func survivesRestart() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write {
      try $0.addSessionToken([2], userID: "ann", expiresAt: 200, at: 10)
    }
    fixture.store.close()
    let store = try Store(fixture.place)
    let found = try await store.read { try $0.issuedToken(hash: [2], at: 10) }
    #expect(found?.expiresAt == 200)
    store.close()
  }

  @Test("of more than a hundred tokens, those that expire first are removed")
  func bounds() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      for number in UInt8(0)..<103 {
        try transaction.addSessionToken(
          [number], userID: "ann", expiresAt: 1_000 + Int64(number), at: 10)
      }
    }
    #expect(try await find(fixture, [2], at: 10) == nil)
    #expect(try await find(fixture, [3], at: 10) != nil)
    #expect(try await find(fixture, [102], at: 10) != nil)
  }

  @Test("a new token removes expired tokens of all users")
  func sweeps() async throws {
    let fixture = try await Fixture()
    let count = try await fixture.store.write { transaction in
      for number in UInt8(0)..<50 {
        try transaction.addSessionToken([number], userID: "ann", expiresAt: 20, at: 10)
      }
      try transaction.addSessionToken([99], userID: "bob", expiresAt: 90, at: 20)
      return try transaction.connection.first("SELECT count(*) FROM session_tokens", []) {
        $0[0] as Int
      }
    }
    #expect(count == 1)
  }

  @Test("a token requires an existing user")
  func needsUser() async throws {
    let fixture = try await Fixture()
    await #expect(throws: StoreError.noUser("nobody")) {
      try await fixture.store.write {
        try $0.addSessionToken([1], userID: "nobody", expiresAt: 9, at: 1)
      }
    }
  }
}
