internal import Foundation
internal import ParleyProtocol

/// Points in time, for people.
enum UnixTime {
  /// Unix milliseconds as date and time of day in UTC.
  static func text(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(.iso8601.dateTimeSeparator(.space).timeZoneSeparator(.omitted))
  }
}

/// Durations, for people.
enum Milliseconds {
  /// A number of microseconds as milliseconds.
  static func text(_ node: JSONNode?) -> String {
    guard let microseconds = node?.integer, microseconds > 0 else { return "0 ms" }
    guard microseconds < 10_000 else { return "\(microseconds / 1000) ms" }
    return "\(microseconds / 1000).\(microseconds % 1000 / 100) ms"
  }
}

extension UnixTime {
  /// Unix milliseconds as the time of day in this machine's time zone.
  static func timeOfDay(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(
      Date.VerbatimFormatStyle(
        format:
          "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }
}

extension Milliseconds {
  /// A length of time by its two largest units: `3 d 4 h`.
  static func inWords(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds) / 1000
    let parts = [
      (seconds / 86_400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "min"),
      (seconds % 60, "s"),
    ]
    let known = parts.drop { $0.0 == 0 }.prefix(2)
    return known.isEmpty ? "0 s" : known.map { "\($0.0) \($0.1)" }.joined(separator: " ")
  }
}
