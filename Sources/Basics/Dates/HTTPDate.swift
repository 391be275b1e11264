/// A point in time in the notations of HTTP (RFC 9110 §5.6.7), in seconds since 1970.
///
///     Sun, 06 Nov 1994 08:49:37 GMT     Sunday, 06-Nov-94 08:49:37 GMT     Sun Nov  6 08:49:37 1994
package struct HTTPDate: Sendable, Hashable, Comparable {
  package let seconds: Int64

  /// The maximum length of a date; longer texts are invalid.
  private static let longestText = 64
  private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  package init(seconds: Int64) {
    self.seconds = seconds
  }

  /// The date in the first notation, the only one that is generated.
  package var text: String {
    let time = CivilTime(unixSeconds: seconds)
    let day = "\(time.day.decimal(width: 2)) \(Self.months[time.month - 1])"
    let year = time.year.decimal(width: 4)
    return "\(Self.weekdays[time.weekday]), \(day) \(year) \(time.timeOfDay) GMT"
  }

  package static func < (first: HTTPDate, second: HTTPDate) -> Bool {
    first.seconds < second.seconds
  }
}

// MARK: Reading

extension HTTPDate {
  /// Parses any of the three notations; the name of the day is not compared with the date.
  ///
  /// - Parameter currentYear: Determines the century of a two-digit year.
  package init?(_ text: String, currentYear: Int = 2_000) {
    guard text.utf8.count <= Self.longestText else { return nil }
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
    day: Substring, month: Substring, year: Substring, time: Substring, currentYear: Int
  ) {
    let name = month.lowercased()
    let clock = time.split(separator: ":", omittingEmptySubsequences: false)
    guard let day = Int(decimal: day),
      let month = Self.months.firstIndex(where: { $0.lowercased() == name }),
      let year = Self.year(year, currentYear), clock.count == 3,
      let hour = Int(decimal: clock[0]), let minute = Int(decimal: clock[1]),
      let second = Int(decimal: clock[2]),
      let civil = CivilTime(
        year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    self.init(seconds: civil.unixSeconds)
  }

  private static func year(_ digits: Substring, _ currentYear: Int) -> Int? {
    guard let year = Int(decimal: digits) else { return nil }
    switch digits.utf8.count {
    case 4: return year
    case 2:
      // A year more than 50 years ahead is in the past (RFC 9110 §5.6.7).
      let sameCentury = currentYear / 100 * 100 + year
      return sameCentury > currentYear + 50 ? sameCentury - 100 : sameCentury
    default: return nil
    }
  }
}
