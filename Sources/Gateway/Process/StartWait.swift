import Logging
import Reactor
import Synchronization

/// The wait for the database or the bus at startup, as shown to operators in the log and in `/readyz`.
final class StartWait: Sendable {
  /// A service that the start waits for.
  enum Need: String {
    case database = "PostgreSQL"
    case bus = "the bus"
  }

  /// Waits until the next attempt; returns `false` to give up.
  typealias Pause = @Sendable (_ reason: String) -> Bool

  /// The interval at which the log repeats that the start is waiting, in milliseconds.
  private static let interval: Int64 = 30_000

  private let logger: Logger
  private let entrance: Entrance
  private let pause: Pause
  private let last = Mutex<(need: Need, loggedAt: Int64)?>(nil)

  /// - Parameter entrance: Answers requests during the wait.
  init(_ entrance: Entrance, logger: Logger, pause: @escaping Pause) {
    self.entrance = entrance
    self.logger = logger
    self.pause = pause
  }

  /// Waits after a failed attempt.
  ///
  /// - Returns: Whether to make another attempt.
  func wait(for need: Need, _ reason: String) -> Bool {
    let text = "waiting for \(need.rawValue)"
    entrance.setReason("\(text): \(reason)")
    let now = SystemClock.monotonicMilliseconds
    // The reasons of failed attempts alternate, but the missing service stays the same.
    let isNews = last.withLock { last in
      if let last, last.need == need, now - last.loggedAt < Self.interval { return false }
      last = (need, now)
      return true
    }
    if isNews { logger.warning("\(text)", metadata: ["reason": "\(reason)"]) }
    return pause(reason)
  }
}
