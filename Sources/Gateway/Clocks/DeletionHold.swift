import Channels
import Synchronization

/// The time for which age-based deletion is suspended, after a start and after a step of the clock.
///
/// A wrong clock makes data look old, and deletion is final. The wait gives operators, or the
/// machine's time service, the time to correct the clock. The wait is longer if time has jumped by
/// more than a day, which may be a long pause of the server or a wrong date.
final class DeletionHold: Sendable {
  /// The wait if time has jumped by ``suspiciousGap`` or more, in milliseconds.
  static let longest: Int64 = 86_400_000
  /// Milliseconds beyond the usual pause between two messages, or the usual step of a clock.
  static let suspiciousGap: Int64 = 86_400_000

  private struct Wait {
    var steps: ClockSteps
    /// Milliseconds of the steady clock.
    var since: Int64
    var length: Int64
  }

  /// The usual wait, in milliseconds; 0 for none ever.
  private let usual: Int64
  private let wait: Mutex<Wait>

  /// Begins to wait, as after a start.
  ///
  /// - Parameters:
  ///   - usual: The usual wait, in milliseconds; 0 for no wait at all.
  ///   - now: The time by both clocks.
  ///   - gap: Milliseconds from the newest message to the clock's time; negative if the clock is behind.
  init(_ usual: Int64, at now: Moment, gap: Int64) {
    self.usual = usual
    wait = Mutex(
      Wait(
        steps: ClockSteps(at: now), since: now.monotonic,
        length: Self.length(usual, forGap: gap)))
  }

  /// Returns the milliseconds until data of an age may be deleted; 0 when it may be deleted now.
  ///
  /// This also detects a step of the clock before this time. No data waits for longer than its
  /// retention: with a retention of a minute, an extra hour would defeat the purpose.
  ///
  /// - Parameters:
  ///   - age: The age from which data is deleted, in milliseconds.
  ///   - now: The time by both clocks, by which the age is judged.
  func rest(forAge age: Int64 = .max, at now: Moment) -> Int64 {
    wait.withLock {
      if let step = $0.steps.look(at: now) {
        let end = max($0.since + $0.length, now.monotonic + Self.length(usual, forGap: step))
        ($0.since, $0.length) = (now.monotonic, end - now.monotonic)
      }
      return max(0, $0.since + min($0.length, age) - now.monotonic)
    }
  }

  private static func length(_ usual: Int64, forGap gap: Int64) -> Int64 {
    usual > 0 && gap >= suspiciousGap ? max(longest, usual) : usual
  }
}
