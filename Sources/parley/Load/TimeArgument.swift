internal import ArgumentParser

/// A length of time, written as `30s`, `500ms`, `5m` or `1h`.
struct TimeArgument: ExpressibleByArgument, Equatable {
  private static let units: [(suffix: String, nanoseconds: Int64)] = [
    ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
  ]
  /// The longest time: a week.
  private static let longest: Int64 = 604_800_000_000_000

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

  var defaultValueDescription: String {
    nanoseconds % 1_000_000_000 == 0
      ? "\(nanoseconds / 1_000_000_000)s" : "\(nanoseconds / 1_000_000)ms"
  }
}
