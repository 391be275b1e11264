import Basics
import ParleyProtocol
import Testing

@testable import Push

@Suite("Do not disturb")
struct DoNotDisturbTests {
  private static func zone(_ rule: String) -> TimeZoneRules {
    TimeZoneRules(
      transitions: [], offsets: [], firstOffset: 0, rule: TimeZoneRule(Array(rule.utf8)[...]))
  }

  static let berlin = zone("CET-1CEST,M3.5.0,M10.5.0/3")
  static let newYork = zone("EST5EDT,M3.2.0,M11.1.0")
  static let kolkata = zone("IST-5:30")

  /// Preferences with a window every day.
  private func daily(_ start: Int, _ end: Int) -> PushPreferences {
    var preferences = PushPreferences()
    preferences.doNotDisturb = true
    preferences.window = DayWindow(start: start, end: end)
    return preferences
  }

  private func isUndisturbed(
    _ preferences: PushPreferences, _ utc: String, _ zone: TimeZoneRules
  ) throws -> Bool {
    let numbers = utc.split { !$0.isNumber }.compactMap { Int($0) }
    let time = try #require(
      CivilTime(
        year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3],
        minute: numbers[4], second: numbers[5]))
    return preferences.isUndisturbed(at: LocalTime(at: time.unixSeconds * 1_000, in: zone))
  }

  @Test("from 22:00 to 06:00 over midnight, in three zones")
  func overMidnight() throws {
    let night = daily(22 * 60, 6 * 60)
    let times: [(zone: TimeZoneRules, before: String, from: String, last: String, end: String)] = [
      (Self.berlin, "20:59:59", "21:00:00", "04:59:59", "05:00:00"),
      (Self.newYork, "02:59:59", "03:00:00", "10:59:59", "11:00:00"),
      (Self.kolkata, "16:29:59", "16:30:00", "00:29:59", "00:30:00"),
    ]
    for time in times {
      #expect(try !isUndisturbed(night, "2026-01-15T\(time.before)Z", time.zone))
      #expect(try isUndisturbed(night, "2026-01-15T\(time.from)Z", time.zone))
      #expect(try isUndisturbed(night, "2026-01-15T\(time.last)Z", time.zone))
      #expect(try !isUndisturbed(night, "2026-01-15T\(time.end)Z", time.zone))
    }
  }

  @Test("the night in which clocks go forward has seven hours")
  func spring() throws {
    let night = daily(22 * 60, 6 * 60)
    #expect(try !isUndisturbed(night, "2026-03-28T20:59:59Z", Self.berlin))
    #expect(try isUndisturbed(night, "2026-03-28T21:00:00Z", Self.berlin))
    #expect(try isUndisturbed(night, "2026-03-29T01:00:00Z", Self.berlin))
    #expect(try isUndisturbed(night, "2026-03-29T03:59:59Z", Self.berlin))
    #expect(try !isUndisturbed(night, "2026-03-29T04:00:00Z", Self.berlin))
  }

  @Test("the night in which clocks go back has nine hours")
  func autumn() throws {
    let night = daily(22 * 60, 6 * 60)
    #expect(try !isUndisturbed(night, "2026-10-24T19:59:59Z", Self.berlin))
    #expect(try isUndisturbed(night, "2026-10-24T20:00:00Z", Self.berlin))
    #expect(try isUndisturbed(night, "2026-10-25T04:59:59Z", Self.berlin))
    #expect(try !isUndisturbed(night, "2026-10-25T05:00:00Z", Self.berlin))
  }

  @Test("an hour that comes twice is in the window twice, one that is skipped never")
  func repeatedHour() throws {
    let hour = daily(2 * 60 + 30, 2 * 60 + 45)
    #expect(try isUndisturbed(hour, "2026-10-25T00:30:00Z", Self.berlin))
    #expect(try !isUndisturbed(hour, "2026-10-25T00:45:00Z", Self.berlin))
    #expect(try isUndisturbed(hour, "2026-10-25T01:30:00Z", Self.berlin))
    for minute in 0..<120 {
      let time = "2026-03-29T0\(minute / 60):\((minute % 60).decimal(width: 2)):00Z"
      #expect(try !isUndisturbed(hour, time, Self.berlin))
    }
  }

  @Test("windows within a day, until midnight, and of the whole day")
  func shapes() throws {
    let noon = daily(12 * 60, 13 * 60)
    #expect(try !isUndisturbed(noon, "2026-01-15T11:59:59Z", .utc))
    #expect(try isUndisturbed(noon, "2026-01-15T12:59:59Z", .utc))
    #expect(try !isUndisturbed(noon, "2026-01-15T13:00:00Z", .utc))
    let evening = daily(20 * 60, 23 * 60 + 59)
    #expect(try isUndisturbed(evening, "2026-01-15T23:59:59Z", .utc))
    #expect(try !isUndisturbed(evening, "2026-01-16T00:00:00Z", .utc))
    let untilZero = daily(20 * 60, 0)
    #expect(try isUndisturbed(untilZero, "2026-01-15T23:59:59Z", .utc))
    #expect(try !isUndisturbed(untilZero, "2026-01-16T00:00:00Z", .utc))
    for start in [0, 600] {
      #expect(try isUndisturbed(daily(start, start), "2026-01-15T09:00:00Z", .utc))
      #expect(try isUndisturbed(daily(start, start), "2026-01-15T11:00:00Z", .utc))
    }
    var off = daily(0, 0)
    off.doNotDisturb = false
    #expect(try !isUndisturbed(off, "2026-01-15T09:00:00Z", .utc))
    #expect(!off.hasWindows && daily(0, 0).hasWindows)
  }

  @Test("windows by day of the week replace the daily one, and belong to the day they begin on")
  func schedules() throws {
    var preferences = daily(0, 0)
    preferences.schedules = [
      DayDoNotDisturb(day: .friday, windows: [DayWindow(start: 22 * 60, end: 6 * 60)]),
      DayDoNotDisturb(
        day: .sunday,
        windows: [DayWindow(start: 0, end: 60), DayWindow(start: 12 * 60, end: 13 * 60)]),
    ]
    // 2026-01-16 is a Friday.
    #expect(try !isUndisturbed(preferences, "2026-01-16T05:00:00Z", .utc))
    #expect(try !isUndisturbed(preferences, "2026-01-16T21:59:59Z", .utc))
    #expect(try isUndisturbed(preferences, "2026-01-16T22:00:00Z", .utc))
    #expect(try isUndisturbed(preferences, "2026-01-17T05:59:59Z", .utc))
    #expect(try !isUndisturbed(preferences, "2026-01-17T06:00:00Z", .utc))
    #expect(try !isUndisturbed(preferences, "2026-01-17T22:00:00Z", .utc))
    #expect(try isUndisturbed(preferences, "2026-01-18T00:30:00Z", .utc))
    #expect(try !isUndisturbed(preferences, "2026-01-18T11:00:00Z", .utc))
    #expect(try isUndisturbed(preferences, "2026-01-18T12:30:00Z", .utc))
    // In Kolkata the Friday begins and ends earlier.
    #expect(try isUndisturbed(preferences, "2026-01-16T16:30:00Z", Self.kolkata))
    #expect(try !isUndisturbed(preferences, "2026-01-17T00:30:00Z", Self.kolkata))
  }

  @Test("snoozing ends by itself")
  func snooze() {
    var preferences = PushPreferences()
    (preferences.snoozeStart, preferences.snoozeEnd) = (1_000, 2_000)
    #expect(!preferences.isSnoozed(at: 1_500))
    preferences.isSnoozeEnabled = true
    let snoozed = [999, 1_000, 1_999, 2_000].map { preferences.isSnoozed(at: $0) }
    #expect(snoozed == [false, true, true, false])
  }
}
