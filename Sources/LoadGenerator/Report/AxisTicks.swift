/// The labelled ticks of an axis, and the end of the axis.
struct AxisTicks: Sendable, Hashable {
  let values: [Double]
  /// The end of the axis; not below the largest value to show.
  let end: Double

  /// Ticks at multiples of 1, 2 or 5 times a power of ten, from 0 up to a value.
  ///
  /// - Parameter count: The maximum number of intervals.
  static func decimal(upTo largest: Double, count: Int = 5) -> AxisTicks {
    evenly(upTo: largest, count: count) { step in
      var power = 1.0
      while power * 10 <= step { power *= 10 }
      while power > step { power /= 10 }
      // Slightly more than the step counts as the step: divisions are inexact.
      return [1, 2, 5, 10].map { $0 * power }.first { $0 >= step * 0.999_999 } ?? step
    }
  }

  /// Ticks at powers of two of a binary unit of memory.
  static func bytes(upTo largest: Double, count: Int = 5) -> AxisTicks {
    evenly(upTo: largest, count: count) { step in
      var power = 1.0
      while power < step { power *= 2 }
      return power
    }
  }

  /// Ticks at integers.
  static func whole(upTo largest: Double) -> AxisTicks {
    let ticks = decimal(upTo: max(1, largest))
    guard ticks.values.count > 1, ticks.values[1] < 1 else { return ticks }
    let end = max(1, largest.rounded(.up))
    return AxisTicks(values: Array(stride(from: 0, through: end, by: 1)), end: end)
  }

  private static func evenly(
    upTo largest: Double, count: Int, roundingUp: (Double) -> Double
  ) -> AxisTicks {
    guard largest > 0, largest.isFinite else { return AxisTicks(values: [0, 1], end: 1) }
    let step = roundingUp(largest / Double(count))
    let intervals = max(1, (largest / step - 0.000_001).rounded(.up))
    return AxisTicks(
      values: (0...Int(intervals)).map { Double($0) * step }, end: intervals * step)
  }
}

/// The ticks of an axis on which each power of ten has the same length.
struct LogTicks: Sendable, Hashable {
  let values: [Double]
  let begin: Double
  let end: Double

  /// Ticks at powers of ten, and at 2 and 5 times them if there are few, around positive values.
  init(from smallest: Double, upTo largest: Double) {
    let low = smallest > 0 && smallest.isFinite ? smallest : 1
    let high = largest.isFinite ? max(largest, low) : low
    let steps = Self.steps(low, high, [1, 2, 5])
    let begin = steps.last { $0 <= low * 1.000_001 } ?? low
    let after = steps.first { $0 >= high * 0.999_999 } ?? high
    let end = after > begin ? after : begin * 10
    let choices = [steps, Self.steps(low, high, [1])].map { steps in
      steps.filter { $0 >= begin * 0.999_999 && $0 <= end * 1.000_001 }
    }
    (self.begin, self.end) = (begin, end)
    values = choices[0].count <= 7 ? choices[0] : choices[1]
  }

  /// Returns multiples of powers of ten, from below one value to above another.
  private static func steps(_ low: Double, _ high: Double, _ factors: [Double]) -> [Double] {
    var power = 1.0
    while power > low { power /= 10 }
    while power * 10 <= low { power *= 10 }
    var steps: [Double] = []
    while power <= high * 10 {
      steps += factors.map { $0 * power }
      power *= 10
    }
    return steps
  }
}

/// Labels of ticks: numbers without insignificant zeros.
enum TickText {
  static func time(_ nanoseconds: Double) -> String {
    switch nanoseconds.magnitude {
    case ..<0.5: "0"
    case ..<999.5: "\(short(nanoseconds)) ns"
    case ..<999_500: "\(short(nanoseconds / 1e3)) µs"
    case ..<999_500_000: "\(short(nanoseconds / 1e6)) ms"
    default: "\(short(nanoseconds / 1e9)) s"
    }
  }

  static func bytes(_ bytes: Double) -> String {
    switch bytes.magnitude {
    case ..<0.5: "0"
    case ..<1024: "\(short(bytes)) B"
    case ..<1_048_576: "\(short(bytes / 1024)) KiB"
    case ..<1_073_741_824: "\(short(bytes / 1_048_576)) MiB"
    default: "\(short(bytes / 1_073_741_824)) GiB"
    }
  }

  static func rate(_ perSecond: Double) -> String {
    perSecond == 0 ? "0" : "\(number(perSecond))/s"
  }

  /// Returns a number in groups of three digits, or with its decimals.
  static func number(_ value: Double) -> String {
    value == value.rounded() ? Quantity.count(Quantity.whole(value)) : short(value)
  }

  /// Returns a number with at most three decimals and no trailing zeros.
  static func short(_ value: Double) -> String {
    var text = Quantity.fixed(value, digits: 3)
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text
  }
}
