/// A figure of a run that an objective can be stated about.
package enum Metric: Sendable, Hashable {
  /// The unit of a figure.
  package enum Dimension: Sendable, Hashable {
    /// Nanoseconds.
    case time
    /// Bytes.
    case memory
    /// Deliveries a second.
    case rate
    /// A number without a unit.
    case count
  }

  /// The latency that this part of all does not exceed; 1 is the longest.
  case quantile(LatencySeries?, Double)
  /// Deliveries a second in the measured time.
  case throughput
  /// Expected deliveries that did not come.
  case lost
  case doubled
  case disordered
  /// Deliveries that should not have come, or carried something else.
  case uncalledFor
  /// Failed and lost connections, refused messages, sends without an answer, unreadable messages.
  case errors
  /// The server's CPU time for each delivery.
  case cpuPerDelivery
  /// The server's memory for each connection, before the load began.
  case memoryPerConnection
  /// How much the server's memory grew during the measured time.
  case memoryGrowth
  /// How often the 99th percentile during the disturbance is that before it.
  case shift

  private static let named: [String: Metric] = [
    "throughput": .throughput, "lost": .lost, "doubled": .doubled, "disordered": .disordered,
    "uncalled_for": .uncalledFor, "errors": .errors, "cpu_per_delivery": .cpuPerDelivery,
    "memory_per_connection": .memoryPerConnection, "memory_growth": .memoryGrowth, "shift": .shift,
  ]
  private static let quantiles: [String: Double] = [
    "p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999, "max": 1,
  ]

  /// The names that ``init(_:)`` takes, for help and errors.
  package static var names: String {
    "p50, p90, p99, p99.9, p99.99, max, " + named.keys.sorted().joined(separator: ", ")
  }

  /// Finds a metric by its name; a latency's may begin with the series, as in `connect.p99`.
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
  /// The units that a value may have, and what each is in the dimension's own.
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
