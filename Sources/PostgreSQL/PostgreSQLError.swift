import CPostgreSQL

/// An error of PostgreSQL, or of the connection to it.
package struct PostgreSQLError: Error, Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    /// The server refused a statement; the connection remains usable.
    case statement(SQLState)
    /// The connection is lost; the outcome of a commit in progress is unknown.
    case disconnected
    /// The server did not answer in time; the connection is closed.
    case timedOut
    /// An earlier statement of the same pipeline failed, so this one was not executed.
    case skipped
    /// The server sent an unexpected message.
    case unexpected
  }

  package let kind: Kind
  /// One line of the message of the server or of libpq; never the password.
  package let message: String
  /// The statement's text; empty when there was no statement.
  package let sql: String

  package init(kind: Kind, message: String, sql: String = "") {
    self.kind = kind
    self.message = message
    self.sql = sql
  }

  /// Whether the connection is no longer usable.
  package var endsConnection: Bool {
    switch kind {
    case .disconnected, .timedOut, .unexpected: true
    case .statement(let state): state.endsConnection
    case .skipped: false
    }
  }
}

extension PostgreSQLError {
  /// Whether the server is unreachable or temporarily unable to serve, as opposed to refusing: a later
  /// attempt can succeed.
  package var mayRecover: Bool {
    switch kind {
    case .disconnected, .timedOut: true
    // It has no free connections, shuts down, starts, or is a standby that is not promoted yet.
    case .statement(let state):
      state.endsConnection || state.errorClass == "53" || state == .queryCanceled
    case .skipped, .unexpected: false
    }
  }
}

/// The server's five-character code of an error (PostgreSQL, appendix A).
package struct SQLState: RawRepresentable, Hashable, Sendable {
  package let rawValue: String

  package init(rawValue: String) {
    self.rawValue = rawValue
  }

  package static let uniqueViolation = SQLState(rawValue: "23505")
  package static let foreignKeyViolation = SQLState(rawValue: "23503")
  package static let checkViolation = SQLState(rawValue: "23514")
  package static let notNullViolation = SQLState(rawValue: "23502")
  package static let untranslatableCharacter = SQLState(rawValue: "22021")
  package static let serializationFailure = SQLState(rawValue: "40001")
  package static let deadlock = SQLState(rawValue: "40P01")
  package static let queryCanceled = SQLState(rawValue: "57014")
  package static let adminShutdown = SQLState(rawValue: "57P01")
  package static let crashShutdown = SQLState(rawValue: "57P02")
  package static let cannotConnectNow = SQLState(rawValue: "57P03")
  package static let diskFull = SQLState(rawValue: "53100")
  package static let tooManyConnections = SQLState(rawValue: "53300")
  package static let readOnlyTransaction = SQLState(rawValue: "25006")
  package static let programLimitExceeded = SQLState(rawValue: "54000")
  package static let invalidPassword = SQLState(rawValue: "28P01")
  package static let unknownDatabase = SQLState(rawValue: "3D000")
  package static let undefinedTable = SQLState(rawValue: "42P01")

  /// The code in a text such as `FATAL:  28P01: password authentication failed`.
  init?(inMessage text: String) {
    let words = text.split(whereSeparator: \.isWhitespace)
    let code = words.first { word in
      word.count == 6 && word.last == ":"
        && word.dropLast().allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        && word.contains(where: \.isNumber)
    }
    guard let code else { return nil }
    self.init(rawValue: String(code.dropLast()))
  }

  /// The first two characters: the kind of error.
  package var errorClass: Substring { rawValue.prefix(2) }

  /// Whether the server ends the connection after this error: it shuts down, or has become a standby.
  var endsConnection: Bool {
    errorClass == "57" && self != .queryCanceled || errorClass == "08"
      || self == .readOnlyTransaction
  }
}

extension PostgreSQLError: CustomStringConvertible {
  package var description: String {
    var text = message
    if case .statement(let state) = kind { text += " (PostgreSQL \(state.rawValue))" }
    return text + (sql.isEmpty ? "" : " - while executing `\(sql)`")
  }
}

extension PostgreSQLError {
  /// The error in a result.
  init(result: OpaquePointer, sql: String) {
    let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    let text =
      PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
      ?? PQresultErrorMessage(result).map { String(cString: $0) } ?? ""
    self.init(
      kind: code.map { .statement(SQLState(rawValue: $0)) } ?? .disconnected,
      message: text.firstLine, sql: sql)
  }
}

extension String {
  /// The text up to its first line break: libpq adds hints and positions in further lines.
  var firstLine: String {
    String(split(whereSeparator: \.isNewline).first ?? "unknown error")
  }
}
