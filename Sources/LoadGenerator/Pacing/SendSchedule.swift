/// When each message of a sender is to be sent, fixed before the first.
///
/// A latency counts from the moment in the schedule, not from when the sender got round to it: a
/// sender that a stalled server holds up would otherwise leave out just the messages that would
/// have waited (coordinated omission). Times are nanoseconds of a clock that never goes back.
package struct SendSchedule: Sendable, Hashable {
  private let start: Int64
  private let interval: Double
  /// The number of the next message, from 0.
  package private(set) var number: UInt32 = 0

  /// - Parameters:
  ///   - start: When the schedule begins.
  ///   - perSecond: Messages a second, more than 0.
  ///   - phase: Which part of the first interval passes before the first message, 0 to 1.
  package init(start: Int64, perSecond: Double, phase: Double = 0) {
    interval = 1_000_000_000 / max(perSecond, 0.000_001)
    self.start = start &+ Int64(min(interval * phase, 9e15))
  }

  /// When the next message is to be sent.
  package var next: Int64 { start &+ Int64(min(Double(number) * interval, 9e15)) }

  /// Goes on to the message after the next.
  package mutating func advance() {
    number &+= 1
  }
}
