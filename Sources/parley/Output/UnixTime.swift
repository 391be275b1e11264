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
        format: "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits):\(second: .twoDigits)",
        timeZone: .current, calendar: Calendar(identifier: .gregorian)))
  }
}
