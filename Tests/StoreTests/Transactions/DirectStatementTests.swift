import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Statements whose values are bound individually", .onOwnThreads)
struct DirectStatementTests {
  @Test("texts and nil are read back as they were bound")
  func keepsTexts() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      let connection = transaction.connection
      try connection.execute("CREATE TEMP TABLE kept (number INTEGER, text TEXT) STRICT")
      let insertion = try DirectStatement("INSERT INTO kept VALUES (?, ?)", on: connection)
      let texts = ["", "a", "Grüße \u{1F600}", String(repeating: "long ", count: 2_000), nil]
      for (number, text) in texts.enumerated() {
        try insertion.bind(Int64(number), at: 1)
        try insertion.bind(text, at: 2)
        try insertion.execute()
      }
      let kept = try connection.all("SELECT text FROM kept ORDER BY number", []) {
        $0[0] as String?
      }
      #expect(kept == texts)
    }
  }

  @Test(
    "a text with U+0000 is refused in any position", arguments: ["\u{0}", "a\u{0}", "\u{0}b"])
  func refusesNull(text: String) async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      let statement = try DirectStatement("SELECT length(?)", on: transaction.connection)
      #expect(throws: StoreError.unstorableText) { try statement.bind(text, at: 1) }
      #expect(throws: StoreError.unstorableText) { try text.checkStorable() }
    }
  }

  @Test("a missing row reads as nil, and a violated constraint is an error that changes nothing")
  func reports() async throws {
    let fixture = try await Fixture()
    try await fixture.store.append(fixture.message(1))
    try await fixture.store.write { transaction in
      let connection = transaction.connection
      let reading = try DirectStatement(
        "SELECT last_seq FROM channels WHERE channel_id = ?", on: connection)
      try reading.bind(-1, at: 1)
      #expect(try reading.integer() == nil)
      let copying = try DirectStatement(
        "INSERT INTO messages SELECT * FROM messages WHERE message_id = ?", on: connection)
      try copying.bind(1, at: 1)
      let error = #expect(throws: DatabaseError.self) { try copying.execute() }
      #expect(error?.code == .constraint)
      #expect(error?.storageFailure == nil)
    }
  }
}
