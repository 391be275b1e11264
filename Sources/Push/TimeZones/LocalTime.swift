internal import Basics
package import ParleyProtocol

/// A time of the week on the clocks of a time zone.
package struct LocalTime: Sendable, Hashable {
  package let day: Weekday
  /// Minutes after midnight.
  package let minute: Int

  /// The local time at some time in Unix milliseconds.
  package init(at unixMilliseconds: Int64, in zone: TimeZoneRules) {
    let utc = CivilTime(unixMilliseconds: unixMilliseconds).unixSeconds
    let local = CivilTime(unixSeconds: utc + Int64(zone.offset(at: utc)))
    day = Weekday.allCases[local.weekday]
    minute = local.hour * 60 + local.minute
  }
}
