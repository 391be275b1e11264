/// Formats figures with their units.
package enum Quantity {
  /// Formats nanoseconds in the unit with the shortest number: `850 ns`, `1.25 ms`, `12.0 s`.
  package static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds.magnitude {
    case ..<1e3: "\(fixed(nanoseconds, digits: 0)) ns"
    case ..<1e6: "\(threeDigits(nanoseconds / 1e3)) µs"
    case ..<1e9: "\(threeDigits(nanoseconds / 1e6)) ms"
    default: "\(threeDigits(nanoseconds / 1e9)) s"
    }
  }

  /// Formats bytes in binary units.
  package static func bytes(_ bytes: Double) -> String {
    switch bytes.magnitude {
    case ..<1024: "\(fixed(bytes, digits: 0)) B"
    case ..<1_048_576: "\(threeDigits(bytes / 1024)) KiB"
    case ..<1_073_741_824: "\(threeDigits(bytes / 1_048_576)) MiB"
    default: "\(threeDigits(bytes / 1_073_741_824)) GiB"
    }
  }

  /// Formats an integer with its digits in groups of three.
  package static func count(_ number: Int) -> String {
    var text = ""
    for (index, digit) in String(number.magnitude).reversed().enumerated() {
      if index > 0, index.isMultiple(of: 3) { text.append(",") }
      text.append(digit)
    }
    return (number < 0 ? "-" : "") + String(text.reversed())
  }

  /// Formats a rate as an integer, or with one decimal if it is small.
  package static func rate(_ perSecond: Double) -> String {
    (perSecond < 10 ? fixed(perSecond, digits: 1) : count(whole(perSecond))) + "/s"
  }

  /// Formats a figure of a run in its unit.
  package static func text(_ value: Double, of metric: Metric) -> String {
    switch metric.dimension {
    case .time: time(value)
    case .memory: bytes(value)
    case .rate: rate(value)
    case .count: metric == .shift ? "× " + fixed(value, digits: 2) : count(whole(value))
    }
  }

  /// Formats a number with the given number of decimals.
  package static func fixed(_ value: Double, digits: Int) -> String {
    var power = 1.0
    for _ in 0..<digits { power *= 10 }
    let scaled = whole((value * power).rounded())
    guard digits > 0 else { return "\(scaled)" }
    let (integer, fraction) = scaled.magnitude.quotientAndRemainder(dividingBy: UInt(power))
    let zeros = String(repeating: "0", count: digits - "\(fraction)".count)
    return (scaled < 0 ? "-" : "") + "\(integer).\(zeros)\(fraction)"
  }

  private static func threeDigits(_ value: Double) -> String {
    fixed(value, digits: value.magnitude < 10 ? 2 : value.magnitude < 100 ? 1 : 0)
  }

  /// Returns the nearest representable integer.
  static func whole(_ value: Double) -> Int {
    guard value.isFinite else { return 0 }
    return Int(min(max(value.rounded(), -9e15), 9e15))
  }
}
