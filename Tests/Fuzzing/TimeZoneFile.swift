import Push

/// Reads any bytes as the file of a time zone.
///
/// A zone that comes out of them has offsets of little more than a day at all times, and the time of a week
/// that follows from them.
enum TimeZoneFileHarness: Harness {
  static func run(_ input: [UInt8]) {
    var source = ByteSource(input)
    let time = source.int64()
    guard let zone = try? TimeZoneFile.rules(source.rest()) else { return }
    for time in [time, time % 5_000_000_000, Int64.min, -1, 0, 1_800_000_000, Int64.max] {
      precondition(abs(zone.offset(at: time)) < 100_000)
      precondition(zone.offset(at: time) == zone.offset(at: time))
      precondition((0..<1_440).contains(LocalTime(at: time, in: zone).minute))
    }
  }
}
