import Logging
import Reactor
import Synchronization

/// The wait of a start for its database, as an operator sees it: in the log, and in `/readyz`.
final class StartWait: Sendable {
  /// Waits for the time of another attempt; `false` gives up.
  typealias Pause = @Sendable (_ reason: String) -> Bool

  /// How often the log repeats that the start still waits, in milliseconds.
  private static let interval: Int64 = 30_000

  private let logger: Logger
  private let server: StartingServer?
  private let pause: Pause
  private let last = Mutex<(reason: String, loggedAt: Int64)?>(nil)

  /// - Parameter server: Answers requests meanwhile; `nil` for none.
  init(_ server: StartingServer?, logger: Logger, pause: @escaping Pause) {
    self.server = server
    self.logger = logger
    self.pause = pause
  }

  /// Waits after an attempt that failed.
  ///
  /// - Returns: Whether to make another one.
  func wait(_ reason: String) -> Bool {
    server?.setReason("waiting for PostgreSQL: \(reason)")
    let now = SystemClock.monotonicMilliseconds
    let isNews = last.withLock { last in
      if let last, last.reason == reason, now - last.loggedAt < Self.interval { return false }
      last = (reason, now)
      return true
    }
    if isNews { logger.warning("waiting for PostgreSQL", metadata: ["reason": "\(reason)"]) }
    return pause(reason)
  }
}
