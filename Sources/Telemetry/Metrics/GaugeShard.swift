/// One thread's part of a set of gauges, as the changes that this thread made.
///
/// What goes up on one thread may go down on another; only the sum over all shards is the gauge.
/// Confined to its thread for writing.
package final class GaugeShard<Key: MetricKey>: Sendable {
  @usableFromInline
  let cells: AtomicCells

  package init() {
    cells = AtomicCells(count: Key.cellCount)
  }

  /// Raises or lowers; only the owning thread may call this.
  @inlinable
  package func add(_ change: Int64, to key: Key) {
    cells.add(UInt64(bitPattern: change), at: key.rawValue)
  }

  /// The changes that this shard has seen.
  @inlinable
  package func value(of key: Key) -> Int64 {
    Int64(bitPattern: cells.value(at: key.rawValue))
  }

  /// The sums over all shards, a sample for each key.
  package static func samples(summing shards: [GaugeShard]) -> [MetricSample] {
    Key.allCases.map { key in
      let sum = shards.reduce(into: Int64(0)) { $0 &+= $1.value(of: key) }
      return MetricSample(key.definition, .level(sum))
    }
  }
}
