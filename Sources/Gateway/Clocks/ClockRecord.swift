import Channels
import Logging
import Synchronization
import Telemetry

/// The record of steps and lag of the deployment's clock, for operators.
final class ClockRecord: Sendable {
  private struct Contents {
    var forwardCount = 0
    var backCount = 0
    /// The milliseconds of the last step; 0 without one.
    var lastStep: Int64 = 0
    /// Whether a log line says that the clock is behind.
    var isKnownBehind = false
  }

  /// A clock that is behind the newest message by this many milliseconds or more is logged.
  private static let loggedLag: Int64 = 1_000

  private let contents = Mutex(Contents())

  /// Records a step, and logs it.
  ///
  /// - Parameter hold: Milliseconds for which nothing is deleted because of its age.
  func note(step: Int64, hold: Int64, logger: Logger) {
    contents.withLock {
      if step > 0 { $0.forwardCount += 1 } else { $0.backCount += 1 }
      $0.lastStep = step
    }
    logger.warning(
      step > 0 ? "the clock was set forward" : "the clock was set back",
      metadata: ["seconds": "\(Self.seconds(step))", "deletion_hold_seconds": "\(hold / 1_000)"])
  }

  /// Records the start.
  ///
  /// - Parameters:
  ///   - gap: Milliseconds from the newest message to the clock's time.
  ///   - hold: Milliseconds for which nothing is deleted because of its age.
  func noteStart(gap: Int64, hold: Int64, logger: Logger) {
    guard gap >= DeletionHold.suspiciousGap else { return }
    logger.notice(
      "the clock is more than a day after the newest message: check its date if there were later ones",
      metadata: ["hours": "\(gap / 3_600_000)", "deletion_hold_seconds": "\(hold / 1_000)"])
  }

  /// Records the time by which the clock is behind the newest message, and logs when the lag begins
  /// and when it ends.
  func note(lag: Int64, logger: Logger) {
    let isBehind = lag >= Self.loggedLag
    // Catching up is logged only once the lag is zero.
    let isNews = contents.withLock { contents in
      guard isBehind != contents.isKnownBehind, isBehind || lag == 0 else { return false }
      contents.isKnownBehind = isBehind
      return true
    }
    guard isNews else { return }
    if isBehind {
      logger.warning(
        "the clock is behind the newest message: created_at of its channel continues from there",
        metadata: ["seconds": "\(Self.seconds(lag))"])
    } else {
      logger.notice("the clock has caught up with the newest message")
    }
  }

  /// The counts of steps, and the last one.
  var samples: [MetricSample] {
    let contents = contents.withLock { $0 }
    return [("forward", contents.forwardCount), ("back", contents.backCount)].map {
      MetricSample(
        "parley_clock_steps_total", .counter, "Steps of the clock by a second or more.", $1,
        .init("direction", $0))
    } + [
      .seconds(
        "parley_clock_last_step_seconds", "The last step, negative for one back.",
        contents.lastStep)
    ]
  }

  private static func seconds(_ milliseconds: Int64) -> String {
    let (sign, size) = (milliseconds < 0 ? "-" : "", milliseconds.magnitude)
    return "\(sign)\(size / 1_000).\(size % 1_000 / 100)"
  }
}
