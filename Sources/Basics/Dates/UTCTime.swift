/// Points in time as text, in UTC with milliseconds (RFC 3339).
package enum UTCTime {
  /// Formats Unix milliseconds as `2025-01-31T23:59:59.123Z`; times outside the years 1970 to 9999
  /// become the nearest time within them.
  package static func format(_ milliseconds: Int64) -> String {
    let milliseconds = min(max(milliseconds, 0), 253_402_300_799_999)
    let time = CivilTime(unixMilliseconds: milliseconds)
    return "\(time.date)T\(time.timeOfDay).\((milliseconds % 1_000).decimal(width: 3))Z"
  }
}
