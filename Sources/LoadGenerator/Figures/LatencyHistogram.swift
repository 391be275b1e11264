/// Counts latencies in buckets that are narrow where latencies are short.
///
/// Log-linear, as in HdrHistogram: each power of two is divided into 128 buckets, so a quantile is
/// at most 1/128 above the true value, and never below it.
///
///     value     0 … 255     256 … 511     512 … 1023     …   2⁴³ ns (2.4 h)
///     bucket    1 ns wide   2 ns          4 ns           …
///
/// Uses 38 KB after the first recording; none before. Only the first recording allocates.
package struct LatencyHistogram: Sendable {
  private static let subBucketBits = 7
  private static let subBuckets = 1 << subBucketBits
  /// The maximum in nanoseconds; longer latencies count as this value.
  package static let longest: Int64 = 1 << 43 - 1
  private static let bucketCount = index(of: longest) + 1

  private var counts: [UInt64] = []
  /// The number of latencies recorded.
  package private(set) var count: UInt64 = 0
  /// The longest recorded latency, in nanoseconds; 0 if there is none.
  package private(set) var maximum: Int64 = 0
  private var total: Double = 0

  package init() {}

  /// Whether nothing was recorded.
  package var isEmpty: Bool { count == 0 }

  /// The arithmetic mean in nanoseconds; 0 when nothing was recorded.
  package var mean: Double { count == 0 ? 0 : total / Double(count) }

  /// Records a latency in nanoseconds; a negative one counts as 0.
  package mutating func record(_ nanoseconds: Int64) {
    if counts.isEmpty { counts = [UInt64](repeating: 0, count: Self.bucketCount) }
    let value = min(max(0, nanoseconds), Self.longest)
    counts[Self.index(of: value)] &+= 1
    count &+= 1
    maximum = max(maximum, value)
    total += Double(value)
  }

  /// Adds the latencies of another histogram.
  package mutating func merge(_ other: LatencyHistogram) {
    guard !other.isEmpty else { return }
    if counts.isEmpty { counts = [UInt64](repeating: 0, count: Self.bucketCount) }
    for index in counts.indices { counts[index] &+= other.counts[index] }
    count &+= other.count
    maximum = max(maximum, other.maximum)
    total += other.total
  }

  /// Returns the latency that this fraction did not exceed, in nanoseconds; `nil` if there is none.
  ///
  /// - Parameter part: 0 to 1; 0.99 for the 99th percentile.
  package func quantile(_ part: Double) -> Int64? {
    guard count > 0 else { return nil }
    let rank = UInt64(max(1, (Double(count) * min(max(0, part), 1)).rounded(.up)))
    var seen: UInt64 = 0
    for (index, count) in counts.enumerated() where count > 0 {
      seen &+= count
      if seen >= rank { return min(Self.upperBound(of: index), maximum) }
    }
    return maximum
  }

  private static func index(of value: Int64) -> Int {
    let shift = max(0, 63 - value.leadingZeroBitCount - subBucketBits)
    return shift * subBuckets + Int(value >> Int64(shift))
  }

  /// Returns the largest value of a bucket.
  private static func upperBound(of index: Int) -> Int64 {
    guard index >= 2 * subBuckets else { return Int64(index) }
    let shift = index / subBuckets - 1
    let step = Int64(index - shift * subBuckets)
    return (step + 1) << Int64(shift) - 1
  }
}

/// A series of latencies with its own histogram.
package enum LatencySeries: Int, Sendable, Hashable, CaseIterable {
  /// From the scheduled send time of a message until a subscriber receives it.
  case delivery
  /// The same, before the disturbance of the scenario started: the flood, the storm.
  case baseline
  /// From the scheduled send time of a message until its sender receives the response.
  case answer
  /// From the scheduled connection time until the session is open and the channels are entered.
  case connect
  /// From the cut of a connection until it is back in its channels and has recovered missed events.
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
