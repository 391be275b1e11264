/// The text of a statement, in the form for each database.
///
/// Most texts are the same for all. Placeholders are `?` in order, or `?1`, `?2` …; a session translates
/// them. The texts are written in the code: values are bound, never inserted into them.
struct StoreStatement: Sendable, ExpressibleByStringInterpolation {
  let sqlite: String
  let postgreSQL: String

  init(sqlite: String, postgreSQL: String) {
    self.sqlite = sqlite
    self.postgreSQL = postgreSQL
  }

  /// A text that all databases accept.
  init(_ text: String) { self.init(sqlite: text, postgreSQL: text) }

  init(stringLiteral text: String) { self.init(text) }

  init(stringInterpolation text: StringInterpolation) {
    self.init(sqlite: text.sqlite, postgreSQL: text.postgreSQL ?? text.sqlite)
  }

  /// Builds the forms, and only one as long as they are equal.
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

extension StoreStatement {
  /// The text for PostgreSQL with its own placeholders, `$1` onwards.
  var numbered: String { Self.numberingPlaceholders(of: postgreSQL) }

  static func numberingPlaceholders(of sql: String) -> String {
    var text = ""
    var last = 0
    var rest = sql[...]
    while let mark = rest.firstIndex(of: "?") {
      text += rest[..<mark]
      rest = rest[rest.index(after: mark)...]
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      last = Int(digits) ?? last + 1
      text += "$\(last)"
    }
    return text + rest
  }
}

/// Parts of statements whose syntax depends on the database.
extension StoreStatement {
  /// The index to use: without statistics, SQLite would sometimes read a whole table to avoid a sort.
  ///
  /// PostgreSQL's sessions are set to prefer indexes.
  static func index(_ name: String) -> StoreStatement {
    StoreStatement(sqlite: "INDEXED BY \(name)", postgreSQL: "")
  }

  /// Uses no index except the primary key.
  static let primaryKey = StoreStatement(sqlite: "NOT INDEXED", postgreSQL: "")

  /// Follows a column that must equal one of the values of a ``StoreValue/texts(_:)`` or
  /// ``StoreValue/integers(_:)``: one placeholder for any number of values.
  static let isAnyOf = StoreStatement(
    sqlite: "IN (SELECT value FROM json_each(?))", postgreSQL: "= ANY (?)")

  /// Follows a column that must not equal any of the values.
  static let isNoneOf = StoreStatement(
    sqlite: "NOT IN (SELECT value FROM json_each(?))", postgreSQL: "<> ALL (?)")

  /// Whether a column contains a text.
  static func contains(_ column: String) -> StoreStatement {
    StoreStatement(sqlite: "instr(\(column), ?) > 0", postgreSQL: "strpos(\(column), ?) > 0")
  }

  /// Whether a column begins with a text.
  static func begins(_ column: String) -> StoreStatement {
    StoreStatement(sqlite: "instr(\(column), ?) = 1", postgreSQL: "strpos(\(column), ?) = 1")
  }

  static func greater(_ first: StoreStatement, _ second: StoreStatement) -> StoreStatement {
    StoreStatement(
      sqlite: "max(\(first.sqlite), \(second.sqlite))",
      postgreSQL: "greatest(\(first.postgreSQL), \(second.postgreSQL))")
  }

  static func byteCount(_ column: String) -> StoreStatement {
    StoreStatement(
      sqlite: "length(CAST(\(column) AS BLOB))", postgreSQL: "octet_length(\(column))")
  }

  /// Locks a selected row against other changes until the transaction ends; SQLite has one writer.
  static let forUpdate = StoreStatement(sqlite: "", postgreSQL: "FOR NO KEY UPDATE")

  /// The same, but others may take the same lock.
  static let forShare = StoreStatement(sqlite: "", postgreSQL: "FOR SHARE")

  /// Keeps a selected row from being removed until the transaction ends; it may be changed.
  static let keepingKey = StoreStatement(sqlite: "", postgreSQL: "FOR KEY SHARE")

  /// Locks a selected row, which is to be removed, also against ``keepingKey``.
  static let forRemoval = StoreStatement(sqlite: "", postgreSQL: "FOR UPDATE")

  /// The same for rows to be removed; rows locked by others are skipped.
  static let skippingLocked = StoreStatement(sqlite: "", postgreSQL: "FOR UPDATE SKIP LOCKED")
}

extension [StoreStatement] {
  func joined(separator: String) -> StoreStatement {
    StoreStatement(
      sqlite: map(\.sqlite).joined(separator: separator),
      postgreSQL: map(\.postgreSQL).joined(separator: separator))
  }
}
