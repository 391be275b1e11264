import ParleyProtocol
import Testing

@testable import Store
import TestSupport

@Suite("Listing users", .onEachDatabase, .onOwnThreads)
struct UserListingTests {
  /// The users of the fixture were made at 1, these two by two from 100 on.
  private func makeStore() async throws -> Fixture {
    let fixture = try await Fixture()
    let names = ["Ärzte", "ÄRZTE", "ärz", "Zoe", "zo", "\u{1F600}a"]
    try await fixture.store.write { transaction in
      for (index, name) in names.enumerated() {
        _ = try transaction.createUser("u\(index)", nickname: name, at: 100 + Int64(index / 2))
      }
    }
    return fixture
  }

  private func ids(_ fixture: Fixture, _ query: UserQuery) async throws -> [String] {
    try await fixture.store.read { try $0.listUsers(query) }.users.map(\.user.id)
  }

  @Test("the newest comes first, and the greater ID of two with the same time")
  func isOrdered() async throws {
    let fixture = try await makeStore()
    let expected = ["u5", "u4", "u3", "u2", "u1", "u0", "cy", "bob", "ann"]
    #expect(try await ids(fixture, UserQuery()) == expected)
    #expect(try await ids(fixture, UserQuery(limit: -1)) == ["u5"])
  }

  @Test("IDs are found exactly, and missing ones are skipped")
  func findsByID() async throws {
    let fixture = try await makeStore()
    #expect(try await ids(fixture, UserQuery(ids: ["ann", "U1", "u1", "x"])) == ["u1", "ann"])
    #expect(try await ids(fixture, UserQuery(ids: ["u0", "u1"], nickname: "ÄRZTE")) == ["u1"])
    #expect(try await ids(fixture, UserQuery(ids: ["u3"], nicknamePrefix: "z")) == ["u3"])
  }

  @Test("a whole nickname is matched exactly, a prefix case-insensitively")
  func findsByNickname() async throws {
    let fixture = try await makeStore()
    #expect(try await ids(fixture, UserQuery(nickname: "Ärzte")) == ["u0"])
    #expect(try await ids(fixture, UserQuery(nickname: "Ärz")) == [])
    #expect(try await ids(fixture, UserQuery(nickname: "")) == [])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "ÄR")) == ["u2", "u0", "u1"])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "Zo")) == ["u4", "u3"])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "\u{1F600}")) == ["u5"])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "%")) == [])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "")).count == 9)
  }

  @Test("active and deactivated users are listed separately, with their own pages")
  func findsByActivation() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { transaction in
      for id in ["u1", "u3", "ann"] { try transaction.deactivateUser(id) }
    }
    var query = UserQuery(activeMode: .deactivated, limit: 2)
    let page = try await fixture.store.read { [query] in try $0.listUsers(query) }
    #expect(page.users.map(\.user.id) == ["u3", "u1"])
    query.token = page.next
    #expect(try await ids(fixture, query) == ["ann"])
    #expect(
      try await ids(fixture, UserQuery(activeMode: .activated))
        == ["u5", "u4", "u2", "u0", "cy", "bob"])
    #expect(
      try await ids(fixture, UserQuery(ids: ["u0", "u1"], activeMode: .deactivated)) == ["u1"])
    #expect(
      try await ids(fixture, UserQuery(nicknamePrefix: "är", activeMode: .activated)) == [
        "u2", "u0",
      ])
    query.activeMode = .all
    await #expect(throws: StoreError.invalidPageToken) {
      try await fixture.store.read { [query] in try $0.listUsers(query) }
    }
  }

  @Test("a changed nickname is found, and the old one is not")
  func followsChanges() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { transaction in
      _ = try transaction.updateUser("u3", nickname: "NEW")
      _ = try transaction.upsertUser("u4", nickname: "Newer", at: 9)
    }
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "new")) == ["u3", "u4"])
    #expect(try await ids(fixture, UserQuery(nicknamePrefix: "zo")) == [])
  }

  @Test("pages add up to the result of a simple model", arguments: UInt64(1)...6)
  func pages(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let names = ["", "a", "A", "ab", "Ab", "b", "ß", "\u{D7FF}", "\u{D7FF}x", "\u{E000}"]
    var model: [(id: String, name: String, time: Int64)] = []
    for index in 0..<60 {
      model.append(
        (
          "user\(index)", names.randomElement(using: &random) ?? "",
          .random(in: 5...9, using: &random)
        ))
    }
    try await fixture.store.write { [model] transaction in
      for user in model {
        _ = try transaction.createUser(user.id, nickname: user.name, at: user.time)
      }
      for id in ["ann", "bob", "cy"] { _ = try transaction.deleteUser(id) }
    }
    let byAge = model.sorted { ($0.time, $0.id) > ($1.time, $1.id) }.map(\.id)
    #expect(try await all(fixture, UserQuery(limit: 7)) == byAge, "seed \(seed)")
    for prefix in ["a", "AB", "ß", "\u{D7FF}", "\u{E000}", "c"] {
      let folded = prefix.lowercased()
      let expected = model.filter { $0.name.lowercased().hasPrefix(folded) }
        .map { (name: $0.name.lowercased(), time: $0.time, id: $0.id) }
        .sorted { ($0.name, $0.time, $0.id) < ($1.name, $1.time, $1.id) }.map(\.id)
      let found = try await all(fixture, UserQuery(nicknamePrefix: prefix, limit: 3))
      #expect(found == expected, "seed \(seed), prefix \(prefix)")
    }
  }

  @Test("the longest ids and nicknames fit into a token")
  func fitsTokens() async throws {
    let fixture = try await Fixture()
    let long = String(repeating: "\u{1F600}", count: 79)
    try await fixture.store.write { transaction in
      for end in ["a", "b", "c"] {
        _ = try transaction.createUser(long + end, nickname: long + end, at: 5)
      }
    }
    let query = UserQuery(nicknamePrefix: "\u{1F600}", limit: 1)
    #expect(try await all(fixture, query).map(\.last) == ["a", "b", "c"])
  }

  @Test("a token of another query is refused")
  func bindsTokens() async throws {
    let fixture = try await makeStore()
    let token = try await fixture.store.read { try $0.listUsers(UserQuery(limit: 1)).next }
    for query in [
      UserQuery(ids: ["ann"], token: token), UserQuery(nickname: "", token: token),
      UserQuery(nicknamePrefix: "a", token: token), UserQuery(token: token + "00"),
      UserQuery(token: "x"),
    ] {
      await #expect(throws: StoreError.invalidPageToken) {
        try await fixture.store.read { try $0.listUsers(query) }
      }
    }
  }

  /// All pages of a query, one user being made between each two.
  private func all(_ fixture: Fixture, _ query: UserQuery) async throws -> [String] {
    var query = query
    var found: [String] = []
    for _ in 0..<100 {
      let page = try await fixture.store.read { [query] in try $0.listUsers(query) }
      found += page.users.map(\.user.id)
      guard !page.next.isEmpty else { break }
      query.token = page.next
    }
    return found
  }
}
