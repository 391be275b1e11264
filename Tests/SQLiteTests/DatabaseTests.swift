import Foundation
import Testing

@testable import SQLite

@Suite("A connection to SQLite")
struct DatabaseTests {
  private func database() throws -> Database {
    let database = try Database(path: ":memory:")
    try database.execute(
      script: "CREATE TABLE kept (id INTEGER PRIMARY KEY, text TEXT UNIQUE, body BLOB) STRICT")
    return database
  }

  @Test("values are returned as they were bound, NULL as nil")
  func values() throws {
    let database = try database()
    let long = String(repeating: "Grüße \u{1F600} ", count: 900)
    try database.execute(
      "INSERT INTO kept VALUES (?, ?, ?)", [Int64.max, long, [0, 255] as [UInt8]])
    try database.execute("INSERT INTO kept VALUES (?, ?, ?)", [7, nil, [] as [UInt8]])
    #expect(database.lastInsertedRowID == 7)
    let rows = try database.rows("SELECT id, text, body FROM kept ORDER BY id")
    let first = try #require(try rows.next())
    #expect((first[0] as Int64, first[1] as String?) == (7, nil))
    #expect((first[1] as String, first[2] as [UInt8]?) == ("", []))
    let second = try #require(try rows.next())
    #expect((second[0] as Int64, second[1] as String) == (.max, long))
    #expect(second[2] as [UInt8] == [0, 255])
    #expect(second[named: "id"] == .integer(.max))
    #expect(second[named: "none"] == nil)
    #expect(try rows.next() == nil)
    #expect(try rows.next() == nil)
  }

  @Test("a row stays readable after its query was released")
  func rowOutlivesCursor() throws {
    let database = try database()
    try database.execute("INSERT INTO kept VALUES (1, 'a', NULL)")
    func first() throws -> Row? { try database.rows("SELECT text FROM kept").next() }
    let row = try #require(try first())
    #expect(row[0] as String == "a")
  }

  @Test("a query may be run while the same query is running")
  func nestedQueries() throws {
    let database = try database()
    for id in 1...3 { try database.execute("INSERT INTO kept (id) VALUES (?)", [id]) }
    let outer = try database.rows("SELECT id FROM kept ORDER BY id")
    var pairs = 0
    while let row = try outer.next() {
      let inner = try database.rows("SELECT id FROM kept ORDER BY id")
      while try inner.next() != nil { pairs += 1 }
      #expect(row[0] as Int64 == Int64(pairs / 3))
    }
    #expect(pairs == 9)
  }

  @Test("an error in a transaction rolls it back and ends it")
  func transactions() throws {
    struct Stop: Error {}
    let database = try database()
    #expect(throws: Stop.self) {
      try database.inTransaction {
        try database.execute("INSERT INTO kept (id) VALUES (1)")
        #expect(database.isInTransaction)
        throw Stop()
      }
    }
    #expect(!database.isInTransaction)
    #expect(try database.number("SELECT count(*) FROM kept") == 0)
    try database.inTransaction { try database.execute("INSERT INTO kept (id) VALUES (1)") }
    #expect(database.changesCount == 1)
  }

  @Test("errors contain their kind and statement")
  func errors() throws {
    let database = try database()
    try database.execute("INSERT INTO kept VALUES (1, 'a', NULL)")
    let taken = #expect(throws: DatabaseError.self) {
      try database.execute("INSERT INTO kept VALUES (2, ?, NULL)", ["a"])
    }
    #expect(taken?.code == .constraint)
    #expect(taken?.message.contains("kept.text") == true)
    let wrong = #expect(throws: DatabaseError.self) {
      try database.execute("SELECT none FROM kept")
    }
    #expect(wrong?.code == .error)
    #expect(wrong?.sql == "SELECT none FROM kept")
    let quoted = #expect(throws: DatabaseError.self) {
      try database.execute("SELECT \"none\" FROM kept")
    }
    #expect(quoted?.code == .error)
    let missing = #expect(throws: DatabaseError.self) {
      try Database(path: "/none/at/all", access: .readOnly)
    }
    #expect(missing?.message == "unable to open database file")
  }

  @Test("statements can call a function inside withFunction, and not afterwards")
  func functions() throws {
    let database = try database()
    try database.execute("INSERT INTO kept VALUES (1, 'Ab', NULL), (2, NULL, NULL)")
    try database.withFunction("fold", { $0.lowercased() }) {
      try database.execute("UPDATE kept SET text = fold(text)")
    }
    #expect(try database.value("SELECT text FROM kept WHERE id = 1") == "ab")
    #expect(try database.number("SELECT count(*) FROM kept WHERE text IS NULL") == 1)
    #expect(throws: DatabaseError.self) { try database.execute("SELECT fold('A')") }
  }

  @Test("foreign keys are enforced, and a read-only connection writes nothing")
  func access() throws {
    let path = NSTemporaryDirectory() + "parley-sqlite-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: path) }
    let shared = try SharedDatabase(path: path)
    try shared.withDatabase {
      try $0.execute(
        script: "CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a REFERENCES a)")
      #expect(try $0.number("PRAGMA foreign_keys") == 1)
    }
    let orphan = #expect(throws: DatabaseError.self) {
      try shared.inTransaction { try $0.execute("INSERT INTO b VALUES (1)") }
    }
    #expect(orphan?.code == .constraint)
    let reader = try Database(path: path, access: .readOnly)
    #expect(try reader.number("SELECT count(*) FROM b") == 0)
    #expect(throws: DatabaseError.self) { try reader.execute("INSERT INTO a VALUES (1)") }
    reader.close()
    shared.close()
  }

  @Test("WAL writes are gathered where configured, and readable by connections that do not gather")
  func logWrites() throws {
    let directory = NSTemporaryDirectory() + "parley-sqlite-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    for (logWrites, other, range) in [
      (Database.LogWrites.gathered, Database.LogWrites.plain, (1 << 20)...(1 << 20)),
      (.plain, .gathered, 1...100_000),
    ] {
      let path = directory + "/\(logWrites)"
      let writer = try Database(path: path, logWrites: logWrites)
      try writer.execute(script: "PRAGMA journal_mode = WAL; CREATE TABLE a (text TEXT)")
      let reader = try Database(path: path, access: .readOnly, logWrites: other)
      for number in 1...20 {
        try writer.execute("INSERT INTO a VALUES (?)", ["row \(number)"])
        #expect(try reader.number("SELECT count(*) FROM a") == number)
      }
      let size = try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int
      #expect(range.contains(try #require(size)))
      reader.close()
      writer.close()
    }
  }
}
