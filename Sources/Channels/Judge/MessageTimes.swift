import ParleyProtocol

/// Chooses the `created_at` of a channel's messages: the clock's time, but never before that of an
/// earlier message.
///
/// The clock may be behind the newest message, because it was ahead before. Time then continues
/// from that message at nine tenths of the pace of the steady clock, and stops during long pauses:
///
///     steady clock      0 s   1 s   2 s          10 min
///     clock             12:00:00                 12:10:00
///     created_at        14:00:00.0  .9  1.8      14:00:55.8
///
/// Throttle windows are measured in `created_at`. A window of at most ``longestPause`` therefore
/// shows as many messages as before, or a tenth fewer, instead of none until the clock has caught up.
struct MessageTimes: Sendable {
  /// A pause between two messages counts for at most this many milliseconds while the clock is behind.
  static let longestPause: Int64 = 60_000

  /// The latest time of a message, Unix milliseconds.
  private var last: Int64
  /// The steady time at which it was assigned, or at which the channel was loaded.
  private var lastAt: Int64
  /// Elapsed milliseconds, fewer than the number for which one is skipped.
  private var remainder: Int64 = 0

  /// - Parameters:
  ///   - last: The latest time of a message in the log.
  ///   - now: The steady time of loading the channel. The time since the message does not count.
  init(last: Int64, at now: Int64) {
    self.last = last
    lastAt = now
  }

  /// The time that a message accepted now would get.
  func next(at now: Moment) -> Int64 {
    guard now.unix < last else { return now.unix }
    let pause = pause(until: now)
    return max(now.unix, last + pause - (pause + remainder) / 10)
  }

  /// The time of a message accepted now.
  mutating func take(at now: Moment) -> Int64 {
    let time = next(at: now)
    remainder = now.unix < last ? (pause(until: now) + remainder) % 10 : 0
    (last, lastAt) = (time, now.monotonic)
    return time
  }

  /// A time after that of every earlier message, and not after that of any later one.
  mutating func reserve(at now: Moment) -> Int64 {
    let earlier = last
    let time = max(take(at: now), earlier + 1)
    last = time
    return time
  }

  /// Applies the time of an imported message, from which later times continue.
  ///
  /// - Throws: 400113 for a time in the future, and for one before that of an earlier message.
  mutating func take(imported time: Int64, at now: Moment) throws(ServiceError) {
    guard time <= now.unix else { throw .importTooLate(time, now: now.unix) }
    guard time >= last else { throw .importTooEarly(time, newest: last) }
    (last, lastAt, remainder) = (time, now.monotonic, 0)
  }

  private func pause(until now: Moment) -> Int64 {
    min(max(now.monotonic - lastAt, 0), Self.longestPause)
  }
}
