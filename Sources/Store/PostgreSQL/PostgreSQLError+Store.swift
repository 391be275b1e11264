import PostgreSQL

/// The failure of a statement that was sent without waiting for its answer: the transaction is undone,
/// and is repeated without the facts that it had assumed.
struct UndoneTransaction: Error {
  let reason: String
}

extension PostgreSQLError {
  /// The server's error code, if the server refused the statement.
  var state: SQLState? {
    if case .statement(let state) = kind { state } else { nil }
  }

  /// Whether the job was invalid rather than the storage at fault: it referred to a missing object,
  /// violated a constraint or passed an invalid value.
  var isFaultOfJob: Bool {
    guard let state else { return false }
    return ["21", "22", "23", "42"].contains(state.errorClass)
  }

  /// Whether the same transaction can succeed when it is repeated: it conflicted with another one, or
  /// the connection was lost before the commit.
  var mayPass: Bool {
    switch kind {
    case .statement(let state):
      state == .deadlock || state == .serializationFailure || endsConnection
    // A server that is shutting down may omit answers.
    case .disconnected, .unexpected: true
    case .timedOut, .skipped: false
    }
  }
}
