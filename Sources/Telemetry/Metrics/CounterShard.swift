/// One thread's part of a set of counters.
///
/// Confined to that thread for writing; read from anywhere and summed over all shards.
package final class CounterShard<Key: MetricKey>: Sendable {
  @usableFromInline
  let cells: AtomicCells

  package init() {
    cells = AtomicCells(count: Key.cellCount)
  }

  /// Counts; only the owning thread may call this.
  @inlinable
  package func add(_ amount: UInt64 = 1, to key: Key) {
    cells.add(amount, at: key.rawValue)
  }

  /// The counts of this shard.
  @inlinable
  package func value(of key: Key) -> UInt64 {
    cells.value(at: key.rawValue)
  }

  /// The sums over all shards, a sample for each key.
  package static func samples(summing shards: [CounterShard]) -> [MetricSample] {
    Key.allCases.map { key in
      let sum = shards.reduce(into: UInt64(0)) { $0 &+= $1.value(of: key) }
      return MetricSample(key.definition, .count(sum))
    }
  }
}
