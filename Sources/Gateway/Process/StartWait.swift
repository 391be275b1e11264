import Logging
import Reactor
import Synchronization

/// The wait of a start for its database or its bus, as an operator sees it: in the log, and in `/readyz`.
final class StartWait: Sendable {
  /// A service that a start waits for.
  enum Need: String {
    case database = "PostgreSQL"
    case bus = "the bus"
  }

  /// Waits for the time of another attempt; `false` gives up.
  typealias Pause = @Sendable (_ reason: String) -> Bool

  /// How often the log repeats that the start still waits, in milliseconds.
  private static let interval: Int64 = 30_000

  private let logger: Logger
  private let entrance: Entrance
  private let pause: Pause
  private let last = Mutex<(need: Need, loggedAt: Int64)?>(nil)

  /// - Parameter entrance: Answers requests meanwhile.
  init(_ entrance: Entrance, logger: Logger, pause: @escaping Pause) {
    self.entrance = entrance
    self.logger = logger
    self.pause = pause
  }

  /// Waits after an attempt that failed.
  ///
  /// - Returns: Whether to make another one.
  func wait(for need: Need, _ reason: String) -> Bool {
    let text = "waiting for \(need.rawValue)"
    entrance.setReason("\(text): \(reason)")
    let now = SystemClock.monotonicMilliseconds
    // Attempts fail in turn at this and that; what is missing stays the same.
    let isNews = last.withLock { last in
      if let last, last.need == need, now - last.loggedAt < Self.interval { return false }
      last = (need, now)
      return true
    }
    if isNews { logger.warning("\(text)", metadata: ["reason": "\(reason)"]) }
    return pause(reason)
  }
}
