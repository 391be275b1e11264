/// The text of a statement, in the form of each database.
///
/// Most texts are the same for all. Placeholders are `?` in their order, or `?1`, `?2` …; a session
/// translates them. The texts are the code's own: values are bound, never written into them.
struct StoreStatement: Sendable, ExpressibleByStringInterpolation {
  let sqlite: String
  let postgreSQL: String

  init(sqlite: String, postgreSQL: String) {
    self.sqlite = sqlite
    self.postgreSQL = postgreSQL
  }

  /// A text that all databases understand.
  init(_ text: String) { self.init(sqlite: text, postgreSQL: text) }

  init(stringLiteral text: String) { self.init(text) }

  init(stringInterpolation text: StringInterpolation) {
    self.init(sqlite: text.sqlite, postgreSQL: text.postgreSQL ?? text.sqlite)
  }

  /// Builds the forms, and only one as long as they agree.
  struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var sqlite = ""
    fileprivate var postgreSQL: String?

    init(literalCapacity: Int, interpolationCount: Int) {
      sqlite.reserveCapacity(literalCapacity + 64 * interpolationCount)
    }

    mutating func appendLiteral(_ text: String) {
      sqlite += text
      postgreSQL? += text
    }

    mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }

    mutating func appendInterpolation(_ part: StoreStatement) {
      if postgreSQL == nil, part.sqlite != part.postgreSQL { postgreSQL = sqlite }
      sqlite += part.sqlite
      postgreSQL? += part.postgreSQL
    }
  }
}

/// Parts of statements that databases write differently.
extension StoreStatement {
  /// The index to use: SQLite, without statistics, would at times read a whole table to save a sort.
  ///
  /// PostgreSQL's sessions are set to prefer indexes.
  static func index(_ name: String) -> StoreStatement {
    StoreStatement(sqlite: "INDEXED BY \(name)", postgreSQL: "")
  }

  /// No index but the primary key.
  static let primaryKey = StoreStatement(sqlite: "NOT INDEXED", postgreSQL: "")

  /// Follows a column that has to be one of the values of a ``StoreValue/texts(_:)`` or
  /// ``StoreValue/integers(_:)``: one placeholder for any number of values.
  static let isAnyOf = StoreStatement(
    sqlite: "IN (SELECT value FROM json_each(?))", postgreSQL: "= ANY (?)")

  /// Follows a column that may be none of the values.
  static let isNoneOf = StoreStatement(
    sqlite: "NOT IN (SELECT value FROM json_each(?))", postgreSQL: "<> ALL (?)")

  /// Whether a column holds a text.
  static func contains(_ column: String) -> StoreStatement {
    StoreStatement(sqlite: "instr(\(column), ?) > 0", postgreSQL: "strpos(\(column), ?) > 0")
  }

  static func greater(_ first: String, _ second: String) -> StoreStatement {
    StoreStatement(sqlite: "max(\(first), \(second))", postgreSQL: "greatest(\(first), \(second))")
  }

  static func byteCount(_ column: String) -> StoreStatement {
    StoreStatement(
      sqlite: "length(CAST(\(column) AS BLOB))", postgreSQL: "octet_length(\(column))")
  }

  /// Keeps a row that is read from others' changes until the transaction ends; SQLite has one writer.
  static let forUpdate = StoreStatement(sqlite: "", postgreSQL: "FOR NO KEY UPDATE")

  /// The same, while others may keep the row as it is too.
  static let forShare = StoreStatement(sqlite: "", postgreSQL: "FOR SHARE")

  /// The same for rows that are to be removed; those that others keep are passed over.
  static let skippingLocked = StoreStatement(sqlite: "", postgreSQL: "FOR UPDATE SKIP LOCKED")
}

extension [StoreStatement] {
  func joined(separator: String) -> StoreStatement {
    StoreStatement(
      sqlite: map(\.sqlite).joined(separator: separator),
      postgreSQL: map(\.postgreSQL).joined(separator: separator))
  }
}
