internal import Basics

/// A rule of the form that POSIX gives the variable `TZ` (XBD §8.3), with the extensions of RFC 8536 §3.3.1.
///
///     CET-1CEST,M3.5.0,M10.5.0/3
struct TimeZoneRule: Sendable, Hashable {
  /// Seconds east of UTC.
  private let standardOffset: Int
  private let summer: Summer?

  private struct Summer: Hashable {
    var offset: Int
    var start: RuleDate
    var end: RuleDate
  }

  /// Parses a rule; `nil` for a malformed one.
  init?(_ text: ArraySlice<UInt8>) {
    guard text.count <= 128 else { return nil }
    var scanner = RuleScanner(rest: text)
    guard scanner.skipName(), let west = scanner.time(hours: 24) else { return nil }
    standardOffset = -west
    guard !scanner.rest.isEmpty else {
      summer = nil
      return
    }
    guard scanner.skipName() else { return nil }
    var offset = standardOffset + 3_600
    if scanner.rest.first != UInt8(ascii: ",") {
      guard let west = scanner.time(hours: 24) else { return nil }
      offset = -west
    }
    guard scanner.skip(","), let start = scanner.date(), scanner.skip(","),
      let end = scanner.date(), scanner.rest.isEmpty
    else { return nil }
    summer = Summer(offset: offset, start: start, end: end)
  }

  /// The seconds to add to UTC for local time.
  func offset(at unixSeconds: Int64) -> Int {
    guard let summer else { return standardOffset }
    let year = CivilTime(unixSeconds: unixSeconds).year
    // A time of day of up to a week can move a change into another year.
    var latest: (time: Int64, offset: Int) = (.min, standardOffset)
    for year in max(0, year - 1)...min(9_999, year + 1) {
      let changes = [
        (time: summer.end.seconds(in: year) - Int64(summer.offset), offset: standardOffset),
        (time: summer.start.seconds(in: year) - Int64(standardOffset), offset: summer.offset),
      ]
      // Of two changes at once, the one into summer holds: so all-year summer time is written.
      for change in changes
      where change.time <= unixSeconds
        && (change.time > latest.time
          || change.time == latest.time && change.offset == summer.offset)
      {
        latest = change
      }
    }
    return latest.offset
  }
}

/// A day of every year and a time of that day.
private struct RuleDate: Hashable {
  enum Day: Hashable {
    /// The day of the year from 1 to 365, never the 29th of February.
    case withoutLeapDay(Int)
    /// The day of the year from 0 to 365.
    case withLeapDay(Int)
    /// A weekday (0 is Sunday) of a week of a month; the week 5 is the last.
    case weekday(Int, week: Int, month: Int)
  }

  var day: Day
  /// Seconds after midnight; up to a week before or after.
  var time: Int

  private static let secondsPerDay: Int64 = 86_400

  /// The time in a year, in seconds since 1970 on the local clock.
  func seconds(in year: Int) -> Int64 {
    let midnight =
      switch day {
      case .withoutLeapDay(let day):
        Self.midnight(year) + Int64(day - 1 + (Self.isLeap(year) && day >= 60 ? 1 : 0))
          * Self.secondsPerDay
      case .withLeapDay(let day): Self.midnight(year) + Int64(day) * Self.secondsPerDay
      case .weekday(let weekday, let week, let month):
        Self.midnight(year, weekday: weekday, week: week, month: month)
      }
    return midnight + Int64(time)
  }

  private static func isLeap(_ year: Int) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func midnight(_ year: Int, month: Int = 1, day: Int = 1) -> Int64 {
    CivilTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)?.unixSeconds ?? 0
  }

  private static func midnight(_ year: Int, weekday: Int, week: Int, month: Int) -> Int64 {
    let first = midnight(year, month: month)
    let ahead = (weekday - CivilTime(unixSeconds: first).weekday + 7) % 7
    var day = first + Int64(ahead + 7 * (week - 1)) * secondsPerDay
    while CivilTime(unixSeconds: day).month != month { day -= 7 * secondsPerDay }
    return day
  }
}

private struct RuleScanner {
  var rest: ArraySlice<UInt8>

  private static let defaultTime = 7_200
  /// The hours of a time of day that RFC 8536 permits.
  private static let hourLimit = 167

  mutating func skip(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  /// Skips the abbreviation of a time: letters, or letters, digits and signs in angle brackets.
  mutating func skipName() -> Bool {
    if skip("<") {
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")), end - rest.startIndex >= 3 else {
        return false
      }
      rest = rest[(end + 1)...]
      return true
    }
    let name = rest.prefix { ($0 | 0x20) &- 0x61 < 26 }
    rest = rest[name.endIndex...]
    return name.count >= 3
  }

  /// `[+-]hh[:mm[:ss]]` in seconds.
  mutating func time(hours limit: Int) -> Int? {
    let sign = skip("-") ? -1 : 1
    if sign == 1 { _ = skip("+") }
    guard let hours = number(in: 0...limit) else { return nil }
    var seconds = hours * 3_600
    for unit in [60, 1] {
      guard skip(":") else { break }
      guard let part = number(in: 0...59) else { return nil }
      seconds += part * unit
    }
    return sign * seconds
  }

  /// A date of a rule: `J60`, `59` or `M3.5.0`, with `/2:30` for another time than 2:00.
  mutating func date() -> RuleDate? {
    guard let day = day() else { return nil }
    guard skip("/") else { return RuleDate(day: day, time: Self.defaultTime) }
    guard let time = time(hours: Self.hourLimit) else { return nil }
    return RuleDate(day: day, time: time)
  }

  private mutating func day() -> RuleDate.Day? {
    if skip("J") { return number(in: 1...365).map(RuleDate.Day.withoutLeapDay) }
    guard skip("M") else { return number(in: 0...365).map(RuleDate.Day.withLeapDay) }
    guard let month = number(in: 1...12), skip("."), let week = number(in: 1...5), skip("."),
      let weekday = number(in: 0...6)
    else { return nil }
    return .weekday(weekday, week: week, month: month)
  }

  private mutating func number(in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix { $0 &- 0x30 < 10 }
    guard (1...3).contains(digits.count) else { return nil }
    rest = rest[digits.endIndex...]
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    return range.contains(number) ? number : nil
  }
}
