import CPostgreSQL

/// A connection that never blocks, for an event loop that watches its descriptor: statements are sent
/// one after another, and their outcomes are processed as they arrive.
///
/// Each statement is a transaction of its own.
package final class PostgreSQLPipeline {
  private let connection: PostgreSQLConnection
  private let sql: String
  /// The number of statements without an outcome yet.
  package private(set) var awaitedCount = 0
  /// The outcome of the statement whose end has not arrived.
  private var outcome: Result<PostgreSQLRows, PostgreSQLError>?
  /// Whether the end of the statement's results has arrived.
  private var isAtEnd = false

  /// Takes over a connection for one statement, which the connection has executed before.
  package init(
    _ connection: PostgreSQLConnection, for sql: String
  ) throws(PostgreSQLError) {
    self.connection = connection
    self.sql = sql
    guard PQenterPipelineMode(connection.handle) == 1 else { throw connection.lost() }
  }

  /// Becomes readable when an outcome has arrived.
  package var descriptor: Int32 { connection.descriptor }

  /// Sends the statement with values for its placeholders.
  package func send(_ values: [PostgreSQLValue]) throws(PostgreSQLError) {
    guard connection.send(prepared: .init(sql, values)), PQpipelineSync(connection.handle) == 1
    else { throw connection.lost(sql) }
    awaitedCount += 1
  }

  /// Writes to the socket without blocking.
  ///
  /// - Returns: `false` when more must be written once the socket is writable.
  package func flush() throws(PostgreSQLError) -> Bool {
    switch PQflush(connection.handle) {
    case 0: return true
    case 1: return false
    default: throw connection.lost()
    }
  }

  /// Reads the available input, and passes on the outcomes of statements in the order in which they were
  /// sent.
  package func receive(
    _ body: (Result<PostgreSQLRows, PostgreSQLError>) -> Void
  ) throws(PostgreSQLError) {
    try connection.consumeInput()
    while awaitedCount > 0, PQisBusy(connection.handle) == 0 {
      guard let result = PQgetResult(connection.handle) else {
        // A statement's results have one end; more ends follow when the connection is lost.
        if isAtEnd { throw connection.lost(sql) }
        isAtEnd = true
        continue
      }
      isAtEnd = false
      if PQresultStatus(result) == PGRES_PIPELINE_SYNC {
        PQclear(result)
        awaitedCount -= 1
        guard let outcome else { throw connection.lost(sql) }
        self.outcome = nil
        body(outcome)
      } else {
        outcome = connection.outcome(result, of: sql)
      }
    }
  }
}

/// Notifications (PostgreSQL, NOTIFY).
extension PostgreSQLConnection {
  /// A notification on a channel that this connection listens to.
  package struct Notification: Hashable, Sendable {
    package let channel: String
    package let payload: String
  }

  /// Returns the notifications that have arrived, in the order of their commits.
  package func receiveNotifications() throws(PostgreSQLError) -> [Notification] {
    try consumeInput()
    var notifications: [Notification] = []
    while let pointer = PQnotifies(handle) {
      defer { PQfreemem(pointer) }
      notifications.append(
        Notification(
          channel: String(cString: pointer.pointee.relname),
          payload: String(cString: pointer.pointee.extra)))
    }
    return notifications
  }

  /// Reads the available input, without waiting.
  func consumeInput() throws(PostgreSQLError) {
    guard PQconsumeInput(handle) == 1 else { throw lost() }
  }
}
