import Logging
import PostgreSQL
import SQLite
import Synchronization

/// Whether the store can write.
package enum StoreHealth: Sendable, Hashable {
  case healthy
  /// Every write fails with `StoreError.unavailable` until a probe succeeds.
  case failing(reason: String)
}

/// Keeps the store's health and logs each change of it once.
final class HealthMonitor: Sendable {
  private struct State {
    var health = StoreHealth.healthy
    var lastProbe: UInt64 = 0
  }

  private let state = Mutex(State())
  private let logger: Logger
  private let didChange: @Sendable (StoreHealth) -> Void

  /// - Parameter didChange: Called with each change, on the thread that reports it.
  init(logger: Logger, _ didChange: @escaping @Sendable (StoreHealth) -> Void = { _ in }) {
    self.logger = logger
    self.didChange = didChange
  }

  var current: StoreHealth { state.withLock { $0.health } }

  var isFailing: Bool { current != .healthy }

  /// Records an outcome; only a change of health is logged.
  func report(_ health: StoreHealth) {
    let previous = state.withLock { state in
      defer { state.health = health }
      return state.health
    }
    switch (previous, health) {
    case (.healthy, .failing(let reason)):
      logger.error("the store cannot write", metadata: ["reason": "\(reason)"])
      didChange(health)
    case (.failing, .healthy):
      logger.notice("the store can write again")
      didChange(health)
    case (.healthy, .healthy), (.failing, .failing):
      break
    }
  }

  /// Whether the wait since the last probe is over; if so, the next wait starts.
  func isProbeDue(at now: UInt64, everyMilliseconds interval: Int) -> Bool {
    state.withLock { state in
      guard now >= state.lastProbe &+ UInt64(max(0, interval)) &* 1_000_000 else { return false }
      state.lastProbe = now
      return true
    }
  }
}

/// Checks whether the disk accepts writes again.
enum StorageProbe {
  /// Large enough that a disk with a few free blocks does not alternate between success and failure.
  private static let byteCount = 65_536

  /// Writes and removes a record, each in a commit of its own.
  static func run(on connection: StoreConnection) throws {
    // PostgreSQL would compress a repetitive body.
    var random = SystemRandomNumberGenerator()
    let body = (0..<byteCount).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
    try connection.inTransaction {
      try connection.execute(
        """
        INSERT INTO probe (id, body) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET body = excluded.body
        """, [body])
    }
    try connection.inTransaction { try connection.execute("DELETE FROM probe") }
  }
}

extension Error {
  /// Whether a constraint of the schema refused a row.
  var isConstraint: Bool {
    (self as? DatabaseError)?.code == .constraint
      || (self as? PostgreSQLError)?.state?.errorClass == "23"
  }

  /// The reason, when the error means that the storage failed rather than that a job was invalid.
  var storageFailure: String? {
    if case .unavailable(let reason)? = self as? StoreError { return reason }
    if case .unknown(let reason)? = self as? StoreError { return reason }
    if let failure = self as? CommitFailure { return failure.reason }
    if let undone = self as? UndoneTransaction { return undone.reason }
    if let error = self as? PostgreSQLError { return error.isFaultOfJob ? nil : "\(error.message)" }
    guard let error = self as? DatabaseError, !DatabaseError.faultsOfJobs.contains(error.code)
    else { return nil }
    return "\(error.message) (SQLite \(error.extendedCode))"
  }
}

extension Error {
  /// Whether the same work can succeed when it is repeated at once: nothing of it was kept.
  var mayPass: Bool {
    self is UndoneTransaction || (self as? PostgreSQLError)?.mayPass ?? false
  }

  /// Whether two transactions waited for each other's rows.
  var isDeadlock: Bool { (self as? PostgreSQLError)?.state == .deadlock }
}

extension DatabaseError {
  fileprivate static let faultsOfJobs: Set<Code> = [
    .constraint, .error, .mismatch, .range, .tooBig, .misuse, .notAuthorized,
  ]
}
