internal import ArgumentParser
internal import Basics
internal import Reactor

/// A point in time: a duration before now such as `7d`, a day such as `2026-01-31` in UTC, or Unix
/// milliseconds.
struct MomentArgument: ExpressibleByArgument, Equatable {
  /// Unix milliseconds.
  let milliseconds: Int64

  init?(argument: String) {
    self.init(argument, at: SystemClock.unixMilliseconds)
  }

  /// - Parameter now: Unix milliseconds.
  init?(_ text: String, at now: Int64) {
    if let number = Int64(text) {
      guard number >= 0 else { return nil }
      milliseconds = number
    } else if let day = Self.day(text) {
      milliseconds = day
    } else if let duration = TimeArgument(argument: text) {
      milliseconds = max(0, now - duration.milliseconds)
    } else {
      return nil
    }
  }

  private static func day(_ text: String) -> Int64? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2], let year = Int(parts[0]), let month = Int(parts[1]),
      let day = Int(parts[2])
    else { return nil }
    let time = CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
    return time.map { max(0, $0.unixSeconds * 1_000) }
  }
}
