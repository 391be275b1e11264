internal import Foundation

/// Points in time, for people.
enum UnixTime {
  /// Unix milliseconds as date and time of day in UTC.
  static func text(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(.iso8601.dateTimeSeparator(.space).timeZoneSeparator(.omitted))
  }

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
