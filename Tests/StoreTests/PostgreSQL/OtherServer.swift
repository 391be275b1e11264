import PostgreSQL
import Synchronization
import TestSupport

/// A transaction of another server on the same database; used by one thread at a time.
final class OtherServer {
  private let connection: PostgreSQLConnection
  private let observer: PostgreSQLConnection

  /// Begins the transaction, and executes its statements.
  init(_ url: String, _ statements: [String]) throws {
    connection = try PostgreSQLDatabase.connect(to: url)
    observer = try PostgreSQLDatabase.connect(to: url)
    for statement in ["BEGIN"] + statements { _ = try connection.execute(statement) }
  }

  /// Runs a job beside the transaction, which is committed once the job waits for it or has ended.
  func race<T: Sendable>(_ job: @escaping @Sendable () async throws -> T) async throws -> T {
    let hasEnded = Mutex(false)
    async let outcome = Result { () async throws -> T in
      defer { hasEnded.withLock { $0 = true } }
      return try await job()
    }
    do {
      try await Deadline.standard.wait(for: "the job to wait or to end") {
        try hasEnded.withLock { $0 } || isAwaited()
      }
    } catch {
      // Else the job would wait on.
      _ = try connection.execute("ROLLBACK")
      throw error
    }
    _ = try connection.execute("COMMIT")
    return try await outcome.get()
  }

  private func isAwaited() throws -> Bool {
    try observer.execute(
      """
      SELECT count(*) FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'
      """
    ).integer(0, 0) > 0
  }
}

extension Result where Failure == any Error {
  /// The outcome of an asynchronous body.
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
