/// Points in time as text, in UTC with milliseconds (RFC 3339).
enum UTCTime {
  private static let millisecondsPerDay: Int64 = 86_400_000

  /// Formats Unix milliseconds as `2025-01-31T23:59:59.123Z`; outside the years 1970 to 9999 the
  /// nearest time within them.
  static func format(_ milliseconds: Int64) -> String {
    let time = min(max(milliseconds, 0), 253_402_300_799_999)
    let (year, month, day) = date(ofDay: time / millisecondsPerDay)
    let rest = time % millisecondsPerDay
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { pad($0, 2) }
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(clock.joined(separator: ":"))"
      + ".\(pad(rest % 1000, 3))Z"
  }

  /// The date of a day counted from 1970-01-01.
  ///
  /// Years begin in March here, so that the leap day is
  /// the last of its year.
  private static func date(ofDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let sinceEraStart = day + 719_468
    let era = sinceEraStart / 146_097
    let dayOfEra = sinceEraStart % 146_097
    let leapDays = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
