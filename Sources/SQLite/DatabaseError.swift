import CSQLite

/// An error of SQLite.
package struct DatabaseError: Error, Hashable, Sendable {
  /// SQLite's code, with its details in the higher bits.
  package var extendedCode: Int32
  package var message: String
  /// The statement's text; empty when there was no statement.
  package var sql: String

  /// The kind of error.
  package var code: Code { Code(rawValue: extendedCode & 0xFF) }

  /// SQLite's primary result codes that callers distinguish.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package var rawValue: Int32

    package init(rawValue: Int32) {
      self.rawValue = rawValue
    }

    package static let error = Code(rawValue: SQLITE_ERROR)
    package static let corrupt = Code(rawValue: SQLITE_CORRUPT)
    package static let full = Code(rawValue: SQLITE_FULL)
    package static let ioError = Code(rawValue: SQLITE_IOERR)
    package static let tooBig = Code(rawValue: SQLITE_TOOBIG)
    package static let constraint = Code(rawValue: SQLITE_CONSTRAINT)
    package static let mismatch = Code(rawValue: SQLITE_MISMATCH)
    package static let misuse = Code(rawValue: SQLITE_MISUSE)
    package static let notAuthorized = Code(rawValue: SQLITE_AUTH)
    package static let format = Code(rawValue: SQLITE_FORMAT)
    package static let range = Code(rawValue: SQLITE_RANGE)
    package static let notDatabase = Code(rawValue: SQLITE_NOTADB)
  }

  init(code: Int32, handle: OpaquePointer?, sql: String = "") {
    extendedCode = code
    self.sql = sql
    // The connection's message describes its last error, which is this one when the codes are equal.
    let isLast = handle != nil && sqlite3_extended_errcode(handle) & 0xFF == code & 0xFF
    let text = isLast ? sqlite3_errmsg(handle) : sqlite3_errstr(code)
    message = text.map { String(cString: $0) } ?? "unknown error"
  }
}

extension DatabaseError: CustomStringConvertible {
  package var description: String {
    "\(message) (SQLite \(extendedCode))" + (sql.isEmpty ? "" : " - while executing `\(sql)`")
  }
}
