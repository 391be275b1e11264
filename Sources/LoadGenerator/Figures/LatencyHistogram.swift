/// The counts of measured latencies, in buckets that are narrow where latencies are short.
///
/// Log-linear, as HdrHistogram made it known: each power of two is cut into 128 buckets, so a
/// quantile is at most 1/128 above the true value, and never below it.
///
///     value     0 … 255     256 … 511     512 … 1023     …   2⁴³ ns (2.4 h)
///     bucket    1 ns wide   2 ns          4 ns           …
///
/// 38 KB once something was recorded; nothing before. Recording allocates only the first time.
package struct LatencyHistogram: Sendable {
  private static let subBucketBits = 7
  private static let subBuckets = 1 << subBucketBits
  /// Longer latencies count as this long, in nanoseconds.
  package static let longest: Int64 = 1 << 43 - 1
  private static let bucketCount = index(of: longest) + 1

  private var counts: [UInt64] = []
  /// The number of latencies recorded.
  package private(set) var count: UInt64 = 0
  /// The longest that was recorded, in nanoseconds; 0 when none was.
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

  /// Adds what another has recorded.
  package mutating func merge(_ other: LatencyHistogram) {
    guard !other.isEmpty else { return }
    if counts.isEmpty { counts = [UInt64](repeating: 0, count: Self.bucketCount) }
    for index in counts.indices { counts[index] &+= other.counts[index] }
    count &+= other.count
    maximum = max(maximum, other.maximum)
    total += other.total
  }

  /// The latency that this part of all did not exceed, in nanoseconds; `nil` when there is none.
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

  /// The largest value that a bucket holds.
  private static func upperBound(of index: Int) -> Int64 {
    guard index >= 2 * subBuckets else { return Int64(index) }
    let shift = index / subBuckets - 1
    let step = Int64(index - shift * subBuckets)
    return (step + 1) << Int64(shift) - 1
  }
}

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
