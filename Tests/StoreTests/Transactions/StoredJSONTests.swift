import ParleyProtocol
import Testing

@testable import Store

@Suite("JSON columns")
struct StoredJSONTests {
  @Test("any character of a text survives, U+0000 too")
  func keepsCharacters() throws {
    let values = ["", "\u{0}", "\"\\/\n", "\u{2028}\u{1F600}e\u{301}"]
    let json = try StoredJSON.encode(values)
    #expect(!json.utf8.contains(0))
    #expect(
      try StoredJSON.decode([String].self, from: json).map { Array($0.unicodeScalars) }
        == values.map { Array($0.unicodeScalars) })
  }

  @Test("an empty list or map takes no room")
  func leavesOutEmpty() throws {
    #expect(try StoredJSON.encodeUnlessEmpty([String]()) == nil)
    #expect(try StoredJSON.encodeUnlessEmpty([String: String]()) == nil)
    #expect(try StoredJSON.encodeUnlessEmpty(["a"]) == #"["a"]"#)
  }

  @Test("a column that is no JSON is reported as damage")
  func reportsDamage() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      try transaction.connection.execute("UPDATE users SET metadata = '{' WHERE user_id = 'ann'")
    }
    let error = await #expect(throws: StoreError.self) {
      try await fixture.store.read { try $0.user("ann") }
    }
    guard case .damaged? = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
  }
}
