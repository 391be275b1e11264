/// One thread's part of a set of histograms of durations, all with the same bounds.
///
/// Confined to that thread for writing; read from anywhere and summed over all shards.
package final class HistogramShard<Key: MetricKey>: Sendable {
  @usableFromInline
  package let bounds: HistogramBounds
  /// For each key: a cell per bound, one for what lies above all, and the sum.
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

  /// The sums over all shards, which must have the same bounds, a sample for each key.
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
