/// A point in time as HTTP writes it (RFC 9110 §5.6.7), in seconds since 1970.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
struct HTTPDate: Hashable, Comparable {
  let seconds: Int64

  /// Any of the three notations; the name of the day is not compared with the date.
  ///
  /// - Parameter currentYear: Tells what century a year of two digits is in.
  init?(_ text: String, currentYear: Int64 = 2_000) {
    guard text.utf8.count <= 64 else { return nil }
    let words = text.split { " ,-".contains($0) }
    if words.count == 6, words[5] == "GMT" {
      self.init(
        day: words[1], month: words[2], year: words[3], time: words[4], currentYear: currentYear)
    } else if words.count == 5 {
      self.init(
        day: words[2], month: words[1], year: words[4], time: words[3], currentYear: currentYear)
    } else {
      return nil
    }
  }

  private init?(
    day: Substring, month: Substring, year: Substring, time: Substring, currentYear: Int64
  ) {
    let clock = time.split(separator: ":", omittingEmptySubsequences: false).map(Self.number)
    guard let day = Self.number(day), (1...31).contains(day),
      let month = Self.months.firstIndex(of: month.lowercased()),
      let year = Self.year(year, currentYear), clock.count == 3,
      let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    let days = Self.daysSince1970(year: year, month: Int64(month) + 1, day: day)
    seconds = days * 86_400 + hour * 3_600 + minute * 60 + second
  }

  static func < (first: HTTPDate, second: HTTPDate) -> Bool { first.seconds < second.seconds }

  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// At most four digits.
  private static func number(_ digits: Substring) -> Int64? {
    guard (1...4).contains(digits.utf8.count),
      digits.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return Int64(digits)
  }

  private static func year(_ digits: Substring, _ currentYear: Int64) -> Int64? {
    guard let year = number(digits) else { return nil }
    switch digits.utf8.count {
    case 4: return year
    case 2:
      // More than 50 years ahead means the past (RFC 9110 §5.6.7).
      let sameCentury = currentYear / 100 * 100 + year
      return sameCentury > currentYear + 50 ? sameCentury - 100 : sameCentury
    default: return nil
    }
  }

  /// In the Gregorian calendar: years of March to February, so that the leap day comes last.
  private static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = floored(shifted, 4) - floored(shifted, 100) + floored(shifted, 400)
    return shifted * 365 + leapDays + dayOfYear - 719_468
  }

  private static func floored(_ year: Int64, _ divisor: Int64) -> Int64 {
    year >= 0 ? year / divisor : (year - divisor + 1) / divisor
  }
}
