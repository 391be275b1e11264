import Testing

@testable import Basics

@Suite("The calendar")
struct CivilTimeTests {
  @Test(
    "seconds convert to a date and back, around leap days, centuries and the calendar's limits",
    arguments: [
      (Int64(0), "1970-01-01 00:00:00", 4), (-1, "1969-12-31 23:59:59", 3),
      (951_782_399, "2000-02-28 23:59:59", 1), (951_782_400, "2000-02-29 00:00:00", 2),
      (1_709_251_200, "2024-03-01 00:00:00", 5), (4_107_542_400, "2100-03-01 00:00:00", 1),
      (-2_203_891_200, "1900-03-01 00:00:00", 4), (-62_167_219_200, "0000-01-01 00:00:00", 6),
      (-62_162_121_600, "0000-02-29 00:00:00", 2), (253_402_300_799, "9999-12-31 23:59:59", 5),
    ])
  func dates(seconds: Int64, text: String, weekday: Int) {
    let time = CivilTime(unixSeconds: seconds)
    #expect("\(time.date) \(time.timeOfDay)" == text)
    #expect(time.weekday == weekday)
    #expect(time.unixSeconds == seconds)
  }

  @Test("every day of 400 years follows the one before it")
  func days() {
    let start: Int64 = -5_364_662_400
    var last = CivilTime(unixSeconds: start)
    #expect(last.date == "1800-01-01")
    for day in Int64(1)...146_097 {
      let time = CivilTime(unixSeconds: start + day * 86_400)
      let isNextDay = time.day == last.day + 1 && (time.month, time.year) == (last.month, last.year)
      let isNextMonth = time.day == 1 && time.month == last.month + 1 && time.year == last.year
      let isNextYear = (time.day, time.month, time.year) == (1, 1, last.year + 1)
      let read = CivilTime(
        year: time.year, month: time.month, day: time.day, hour: 0, minute: 0, second: 0)
      guard isNextDay || isNextMonth || isNextYear, time.weekday == (last.weekday + 1) % 7,
        read == time, time.unixSeconds == start + day * 86_400
      else {
        Issue.record("\(time.date) after \(last.date)")
        return
      }
      last = time
    }
    #expect(last.date == "2200-01-01")
  }

  @Test("milliseconds before 1970 belong to the second that contains them")
  func milliseconds() {
    #expect(CivilTime(unixMilliseconds: -1) == CivilTime(unixSeconds: -1))
    #expect(CivilTime(unixMilliseconds: 1_999) == CivilTime(unixSeconds: 1))
  }

  @Test("times outside the calendar are clamped to its limits", arguments: [Int64.min, .max])
  func ends(seconds: Int64) {
    let text = seconds < 0 ? "0000-01-01" : "9999-12-31"
    #expect(CivilTime(unixSeconds: seconds).date == text)
    #expect(CivilTime(unixMilliseconds: seconds).date == text)
  }

  @Test(
    "times that do not exist in the calendar are refused",
    arguments: [
      (-1, 1, 1, 0, 0, 0), (10_000, 1, 1, 0, 0, 0), (2026, 0, 1, 0, 0, 0), (2026, 13, 1, 0, 0, 0),
      (2026, 1, 0, 0, 0, 0), (2026, 1, 32, 0, 0, 0), (2026, 4, 31, 0, 0, 0),
      (2026, 2, 29, 0, 0, 0), (1900, 2, 29, 0, 0, 0), (2026, 1, 1, 24, 0, 0),
      (2026, 1, 1, -1, 0, 0), (2026, 1, 1, 0, 60, 0), (2026, 1, 1, 0, 0, 61),
    ] as [(Int, Int, Int, Int, Int, Int)])
  func noTimes(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
    let time = CivilTime(
      year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    #expect(time == nil)
  }

  @Test("a leap second counts as the second after it")
  func leapSecond() {
    let time = CivilTime(year: 2016, month: 12, day: 31, hour: 23, minute: 59, second: 60)
    #expect(time?.unixSeconds == 1_483_228_800)
  }
}
