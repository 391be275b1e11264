import PostgreSQL

/// The failure of a statement that was sent without waiting for its answer: the transaction is undone, and
/// does without what it had taken for known when it is done again.
struct UndoneTransaction: Error {
  let reason: String
}

extension PostgreSQLError {
  /// The server's code, when it is the server that refused.
  var state: SQLState? {
    if case .statement(let state) = kind { state } else { nil }
  }

  /// Whether a job was wrong rather than the storage: it named what is missing, broke a constraint or
  /// gave a value that is none.
  var isFaultOfJob: Bool {
    guard let state else { return false }
    return ["21", "22", "23", "42"].contains(state.errorClass)
  }

  /// Whether the same transaction can succeed when it is done again: another one was in its way, or
  /// the connection was lost before the commit.
  var mayPass: Bool {
    switch kind {
    case .statement(let state):
      state == .deadlock || state == .serializationFailure || endsConnection
    // A server that shuts down may leave answers out.
    case .disconnected, .unexpected: true
    case .timedOut, .skipped: false
    }
  }
}
