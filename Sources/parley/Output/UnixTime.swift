internal import Foundation

/// Points in time, for people.
enum UnixTime {
  /// Unix milliseconds as date and time of day in UTC.
  static func text(_ milliseconds: Int64) -> String {
    let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    return date.formatted(.iso8601.dateTimeSeparator(.space).timeZoneSeparator(.omitted))
  }
}
