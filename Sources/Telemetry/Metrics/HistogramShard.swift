/// One thread's share of a set of histograms of durations, all with the same bounds.
///
/// Written only by that thread; read from any thread and summed over all shards.
package final class HistogramShard<Key: MetricKey>: Sendable {
  @usableFromInline
  package let bounds: HistogramBounds
  /// For each key: a cell per bound, one for values above all bounds, and the sum.
  @usableFromInline
  let cells: AtomicCells

  package init(bounds: HistogramBounds = .latency) {
    self.bounds = bounds
    cells = AtomicCells(count: Key.cellCount * (bounds.nanoseconds.count + 2))
  }

  @inlinable
  var stride: Int { bounds.nanoseconds.count + 2 }

  /// Counts one duration; only the owning thread may call this.
  @inlinable
  package func record(nanoseconds: UInt64, for key: Key) {
    let start = key.rawValue * stride
    cells.add(1, at: start + bounds.bucket(of: nanoseconds))
    cells.add(nanoseconds, at: start + stride - 1)
  }

  /// The counts of this shard.
  package func snapshot(of key: Key) -> HistogramSnapshot {
    let start = key.rawValue * stride
    let counts = (0...bounds.nanoseconds.count).map { cells.value(at: start + $0) }
    return HistogramSnapshot(
      bounds: bounds, counts: counts, sumNanoseconds: cells.value(at: start + stride - 1))
  }

  /// The sums over all shards, which must have the same bounds, with a sample for each key.
  package static func samples(
    summing shards: [HistogramShard], bounds: HistogramBounds = .latency
  ) -> [MetricSample] {
    Key.allCases.map { key in
      var sum = HistogramSnapshot(bounds: bounds)
      for shard in shards { sum.add(shard.snapshot(of: key)) }
      return MetricSample(key.definition, .histogram(sum))
    }
  }
}

/// The upper bounds of a histogram's buckets, in nanoseconds, ascending.
package struct HistogramBounds: Sendable, Equatable {
  @usableFromInline
  package let nanoseconds: [UInt64]

  /// Makes bounds from values in any order; duplicates count once.
  package init(nanoseconds: [UInt64]) {
    self.nanoseconds = Set(nanoseconds).sorted()
  }

  /// 1, 2.5 and 5 times the powers of ten from 50 microseconds to 10 seconds.
  package static let latency = HistogramBounds(nanoseconds: [
    50_000, 100_000, 250_000, 500_000,
    1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000,
    500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ])

  /// The index of the first bucket whose bound is not below the value; one past the last bound for a
  /// value above all bounds.
  @inlinable
  package func bucket(of value: UInt64) -> Int {
    var low = 0
    var high = nanoseconds.count
    while low < high {
      let middle = (low + high) / 2
      if nanoseconds[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

/// The number of durations of each size.
package struct HistogramSnapshot: Sendable, Equatable {
  package let bounds: HistogramBounds
  /// The number of durations per bound, above the previous bound; then those above all bounds.
  package private(set) var counts: [UInt64]
  /// The sum of all durations.
  package private(set) var sumNanoseconds: UInt64

  /// Makes an empty snapshot.
  package init(bounds: HistogramBounds) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.nanoseconds.count + 1)
    sumNanoseconds = 0
  }

  init(bounds: HistogramBounds, counts: [UInt64], sumNanoseconds: UInt64) {
    self.bounds = bounds
    self.counts = counts
    self.sumNanoseconds = sumNanoseconds
  }

  /// Adds the counts of another snapshot, which must have the same bounds.
  package mutating func add(_ other: HistogramSnapshot) {
    precondition(bounds == other.bounds)
    for index in counts.indices { counts[index] &+= other.counts[index] }
    sumNanoseconds &+= other.sumNanoseconds
  }

  /// The durations that were counted since an earlier snapshot of the same histogram.
  func since(_ former: HistogramSnapshot) -> HistogramSnapshot {
    HistogramSnapshot(
      bounds: bounds,
      counts: zip(counts, former.counts).map { $0 >= $1 ? $0 - $1 : $0 },
      sumNanoseconds: sumNanoseconds &- former.sumNanoseconds)
  }

  /// The bound in seconds below which a share of the durations lie, as precise as the buckets allow; `nil` when
  /// there are no durations.
  package func quantile(_ share: Double) -> Double? {
    let wanted = Double(counts.reduce(0, &+)) * share
    var sum = 0.0
    for (bound, count) in zip(bounds.nanoseconds + bounds.nanoseconds.suffix(1), counts) {
      sum += Double(count)
      if count > 0, sum >= wanted { return Double(bound) / 1e9 }
    }
    return nil
  }
}
