/// A point in time in the proleptic Gregorian calendar, in UTC, to the second.
///
/// Years have four digits: 0 to 9999.
package struct CivilTime: Sendable, Hashable {
  package let year: Int
  /// 1 to 12.
  package let month: Int
  /// 1 to 31.
  package let day: Int
  package let hour: Int
  package let minute: Int
  /// 60 only in a leap second, which no Unix time corresponds to.
  package let second: Int

  private static let secondsPerDay: Int64 = 86_400
  /// The number of days from the first of March of the year 0 to 1970-01-01.
  private static let daysBefore1970: Int64 = 719_468
  private static let daysPerEra: Int64 = 146_097
  /// The first and the last second of the years with four digits.
  private static let unixSeconds: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

  /// - Parameter unixSeconds: Seconds since 1970. Times outside the years 0 to 9999 become the nearest
  ///   time within them.
  package init(unixSeconds: Int64) {
    let range = Self.unixSeconds
    let seconds = min(max(unixSeconds, range.lowerBound), range.upperBound)
    let (days, rest) = seconds.dividedDown(by: Self.secondsPerDay)
    // Years begin in March here, so that the leap day is the last of its year; an era has 400 years.
    let (era, dayOfEra) = (days + Self.daysBefore1970).dividedDown(by: Self.daysPerEra)
    let leapDays = dayOfEra / 1_460 - dayOfEra / 36_524 + dayOfEra / 146_096
    let yearOfEra = (dayOfEra - leapDays) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    month = Int(monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9)
    year = Int(era * 400 + yearOfEra) + (month <= 2 ? 1 : 0)
    (hour, minute, second) = (Int(rest / 3_600), Int(rest / 60 % 60), Int(rest % 60))
  }

  /// - Parameter unixMilliseconds: Milliseconds since 1970; see ``init(unixSeconds:)``.
  package init(unixMilliseconds: Int64) {
    self.init(unixSeconds: unixMilliseconds.dividedDown(by: 1_000).quotient)
  }

  /// - Returns: `nil` when the calendar has no such time.
  package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    guard (0...9_999).contains(year), (1...12).contains(month),
      (1...Self.dayCount(ofMonth: month, in: year)).contains(day),
      (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second)
    else { return nil }
    (self.year, self.month, self.day) = (year, month, day)
    (self.hour, self.minute, self.second) = (hour, minute, second)
  }

  /// Seconds since 1970; a leap second is converted to the following second.
  package var unixSeconds: Int64 {
    daysSince1970 * Self.secondsPerDay + Int64(hour * 3_600 + minute * 60 + second)
  }

  /// The day of the week; 0 is a Sunday.
  package var weekday: Int { Int((daysSince1970 + 4).dividedDown(by: 7).remainder) }

  private var daysSince1970: Int64 {
    let yearFromMarch = Int64(month > 2 ? year : year - 1)
    let dayOfYear = Int64((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1)
    let (era, yearOfEra) = yearFromMarch.dividedDown(by: 400)
    return era * Self.daysPerEra + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
      - Self.daysBefore1970
  }

  private static func dayCount(ofMonth month: Int, in year: Int) -> Int {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }
}

// MARK: Text

extension CivilTime {
  /// `2025-01-31`.
  package var date: String {
    "\(year.decimal(width: 4))-\(month.decimal(width: 2))-\(day.decimal(width: 2))"
  }

  /// `23:59:59`.
  package var timeOfDay: String {
    [hour, minute, second].map { $0.decimal(width: 2) }.joined(separator: ":")
  }
}

extension Int64 {
  /// The quotient rounded towards negative infinity, and the non-negative remainder.
  fileprivate func dividedDown(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
