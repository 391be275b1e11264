/// A series of latencies with a histogram of its own.
package enum LatencySeries: Int, Sendable, Hashable, CaseIterable {
  /// From when a message was to be sent until a subscriber has it.
  case delivery
  /// The same, before the disturbance of the scenario began: the flood, the storm.
  case baseline
  /// From when a message was to be sent until its sender has the answer.
  case answer
  /// From when a connection was to be made until its session is open and its channels entered.
  case connect
  /// From when a connection was cut until it is back in its channels, with what it missed.
  case recovery

  /// The name in objectives and in JSON.
  package var name: String {
    switch self {
    case .delivery: "delivery"
    case .baseline: "baseline"
    case .answer: "answer"
    case .connect: "connect"
    case .recovery: "recovery"
    }
  }

  /// The name in reports.
  package var title: String {
    switch self {
    case .delivery: "Delivery"
    case .baseline: "Delivery before"
    case .answer: "Answer to a send"
    case .connect: "Connecting"
    case .recovery: "Reconnecting"
    }
  }
}

/// A histogram for each series.
package struct Latencies: Sendable {
  private var histograms = [LatencyHistogram](
    repeating: LatencyHistogram(), count: LatencySeries.allCases.count)

  package init() {}

  package subscript(series: LatencySeries) -> LatencyHistogram { histograms[series.rawValue] }

  /// Records a latency in nanoseconds.
  package mutating func record(_ nanoseconds: Int64, in series: LatencySeries) {
    histograms[series.rawValue].record(nanoseconds)
  }

  package mutating func merge(_ other: Latencies) {
    for series in LatencySeries.allCases { histograms[series.rawValue].merge(other[series]) }
  }
}
