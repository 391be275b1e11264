internal import ArgumentParser
internal import ParleyProtocol

/// A duration: a number of seconds, or a number with a unit, as in `500ms`, `30s`, `10m`, `1h` or
/// `7d`.
struct TimeArgument: ExpressibleByArgument, Equatable {
  private static let units: [(suffix: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000), ("", 1_000_000_000),
  ]
  /// The maximum duration of a ban or mute, about 68 years.
  private static let longest = Limits.restrictionSeconds * 1_000_000_000

  let nanoseconds: Int64

  init?(argument: String) {
    guard let unit = Self.units.first(where: { argument.hasSuffix($0.suffix) }),
      let number = Int64(argument.dropLast(unit.suffix.count)), number >= 0
    else { return nil }
    let (product, isOverflow) = number.multipliedReportingOverflow(by: unit.nanoseconds)
    guard !isOverflow, product <= Self.longest else { return nil }
    nanoseconds = product
  }

  init(seconds: Int64) {
    nanoseconds = seconds * 1_000_000_000
  }

  var milliseconds: Int64 { nanoseconds / 1_000_000 }

  /// The duration in seconds; `nil` if it has a fraction.
  var wholeSeconds: Int64? {
    nanoseconds % 1_000_000_000 == 0 ? nanoseconds / 1_000_000_000 : nil
  }

  var defaultValueDescription: String { wholeSeconds.map { "\($0)s" } ?? "\(milliseconds)ms" }
}

/// The duration of a ban or mute, in whole seconds; `-1` for the longest.
struct RestrictionDuration: ExpressibleByArgument, Equatable {
  /// The value used by the Platform API.
  let seconds: Int64

  /// Ten years.
  static let longest = RestrictionDuration(seconds: -1)

  private init(seconds: Int64) {
    self.seconds = seconds
  }

  init?(argument: String) {
    guard argument != "-1" else {
      self = .longest
      return
    }
    guard let seconds = TimeArgument(argument: argument)?.wholeSeconds else { return nil }
    self.init(seconds: seconds)
  }

  var defaultValueDescription: String { "\(seconds)" }
}
