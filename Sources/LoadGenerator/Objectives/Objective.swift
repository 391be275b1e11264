/// An objective of a run, such as `p99<50ms`.
package struct Objective: Sendable, Hashable {
  package enum Relation: String, Sendable, Hashable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"
    case equal = "="
  }

  /// The reason why a text is not an objective.
  package struct Fault: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
  }

  /// The objective as written.
  package let text: String
  package let metric: Metric
  package let relation: Relation
  /// The bound in the unit of the metric's dimension.
  package let bound: Double

  /// Parses `metric relation value unit`; blanks between them are allowed.
  package init(_ text: String) throws(Fault) {
    let compact = String(text.filter { $0 != " " })
    guard compact.utf8.count <= 100 else { throw Fault(description: "an objective is too long") }
    guard let (name, relation, value) = Self.parts(of: compact) else {
      throw Fault(
        description: "'\(text)' has no comparison; an objective such as p99<50ms is expected")
    }
    guard let metric = Metric(name) else {
      throw Fault(
        description: "'\(name)' is not a figure of a run; one of \(Metric.names) is expected")
    }
    self.text = compact
    self.metric = metric
    self.relation = relation
    bound = try Self.bound(value, metric)
  }

  /// Returns whether a figure meets the objective.
  package func isMet(by value: Double) -> Bool {
    switch relation {
    case .atMost: value <= bound
    case .atLeast: value >= bound
    case .below: value < bound
    case .above: value > bound
    case .equal: value == bound
    }
  }

  private static func parts(of text: String) -> (String, Relation, String)? {
    guard let start = text.firstIndex(where: { "<>=".contains($0) }) else { return nil }
    let rest = text[start...]
    // Two-character relations come first.
    guard let relation = Relation.allCases.first(where: { rest.hasPrefix($0.rawValue) }) else {
      return nil
    }
    return (String(text[..<start]), relation, String(rest.dropFirst(relation.rawValue.count)))
  }

  private static func bound(_ text: String, _ metric: Metric) throws(Fault) -> Double {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let unit = String(text.dropFirst(digits.count))
    guard let number = Double(digits), number.isFinite else {
      throw Fault(description: "'\(text)' is not a number")
    }
    let units = metric.dimension.units
    guard let factor = units[unit] else {
      let known = units.keys.filter { !$0.isEmpty }.sorted().joined(separator: ", ")
      throw Fault(
        description: known.isEmpty
          ? "'\(text)': this figure has no unit"
          : "'\(text)' needs one of the units \(known)")
    }
    return number * factor
  }
}

/// The result of checking an objective.
package struct ObjectiveOutcome: Sendable, Hashable {
  package let objective: Objective
  /// The value in the unit of the metric's dimension; `nil` if it was not measured.
  package let value: Double?

  package init(_ objective: Objective, value: Double?) {
    self.objective = objective
    self.value = value
  }

  /// Returns whether the objective is met; a missing measurement counts as missed.
  package var isMet: Bool { value.map(objective.isMet(by:)) ?? false }
}

/// A figure of a run that can have an objective.
package enum Metric: Sendable, Hashable {
  /// The unit of a figure.
  package enum Dimension: Sendable, Hashable {
    /// Nanoseconds.
    case time
    /// Bytes.
    case memory
    /// Deliveries per second.
    case rate
    /// A number without a unit.
    case count
  }

  /// The latency that this fraction does not exceed; 1 is the longest.
  case quantile(LatencySeries?, Double)
  /// Deliveries per second in the measured time.
  case throughput
  /// Expected deliveries that did not arrive.
  case lost
  case doubled
  case disordered
  /// Unexpected deliveries, or deliveries with other content.
  case uncalledFor
  /// Failed and lost connections, rejected messages, unanswered sends, unparseable messages.
  case errors
  /// The server's CPU time per delivery.
  case cpuPerDelivery
  /// The server's memory per connection, before the load started.
  case memoryPerConnection
  /// The growth of the server's memory during the measured time.
  case memoryGrowth
  /// The 99th percentile during the disturbance, as a multiple of the one before it.
  case shift

  private static let named: [String: Metric] = [
    "throughput": .throughput, "lost": .lost, "doubled": .doubled, "disordered": .disordered,
    "uncalled_for": .uncalledFor, "errors": .errors, "cpu_per_delivery": .cpuPerDelivery,
    "memory_per_connection": .memoryPerConnection, "memory_growth": .memoryGrowth, "shift": .shift,
  ]
  private static let quantiles: [String: Double] = [
    "p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999, "max": 1,
  ]

  /// The names accepted by ``init(_:)``, for help and errors.
  package static var names: String {
    "p50, p90, p99, p99.9, p99.99, max, " + named.keys.sorted().joined(separator: ", ")
  }

  /// Finds a metric by name; a latency's name may start with the series, as in `connect.p99`.
  package init?(_ name: String) {
    if let metric = Self.named[name] {
      self = metric
      return
    }
    var rest = name[...]
    var series: LatencySeries?
    for candidate in LatencySeries.allCases where name.hasPrefix(candidate.name + ".") {
      series = candidate
      rest = name.dropFirst(candidate.name.count + 1)
    }
    guard let part = Self.quantiles[String(rest)] else { return nil }
    self = .quantile(series, part)
  }

  /// The unit of the figure.
  package var dimension: Dimension {
    switch self {
    case .quantile, .cpuPerDelivery: .time
    case .throughput: .rate
    case .memoryPerConnection, .memoryGrowth: .memory
    case .lost, .doubled, .disordered, .uncalledFor, .errors, .shift: .count
    }
  }
}

extension Metric.Dimension {
  /// The units that a value may have, with their factors to the dimension's unit.
  var units: [String: Double] {
    switch self {
    case .time: ["ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9]
    case .memory:
      [
        "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 1024, "MiB": 1_048_576,
        "GiB": 1_073_741_824,
      ]
    case .rate: ["": 1, "/s": 1]
    case .count: ["": 1]
    }
  }
}
