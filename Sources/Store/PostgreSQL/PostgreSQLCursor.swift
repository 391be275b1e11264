import PostgreSQL

/// The rows of a query, of which only some are in memory at a time.
final class PostgreSQLCursor {
  /// The number of rows read first, which is often enough, and of later reads.
  static let firstCount = 64
  static let laterCount = 512

  private var rows: PostgreSQLRows
  private var position = 0
  private var isComplete: Bool
  /// The name of the cursor on the server; `nil` when all rows are in memory.
  private let name: String?
  private let session: PostgreSQLSession

  /// All rows of a query.
  init(_ rows: PostgreSQLRows, of session: PostgreSQLSession) {
    self.rows = rows
    self.session = session
    name = nil
    isComplete = true
  }

  /// The first rows of a query with a cursor on the server.
  init(_ rows: PostgreSQLRows, _ name: String, of session: PostgreSQLSession) {
    self.rows = rows
    self.session = session
    self.name = name
    isComplete = rows.count < Self.firstCount
  }

  /// The next rows that are in memory.
  var upcoming: [StoreRow] { (position..<rows.count).map { StoreRow($0, of: rows) } }

  deinit {
    if let name { session.forget(cursor: name) }
  }

  func next() throws -> StoreRow? {
    if position == rows.count, !isComplete, let name {
      rows = try session.fetch(Self.laterCount, from: name)
      position = 0
      isComplete = rows.count < Self.laterCount
    }
    guard position < rows.count else { return nil }
    defer { position += 1 }
    return StoreRow(position, of: rows)
  }
}
