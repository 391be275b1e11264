public import Synchronization

/// A fixed number of counters that one thread writes and any thread reads.
///
/// Writing is a plain load and store without a locked instruction, which is correct because only one
/// thread writes. Readers see every value whole, though not all cells at one instant. The cells are
/// aligned to 128 bytes (two cache lines, which processors fetch together), so that shards of different
/// threads never share a line.
@usableFromInline
package final class AtomicCells: Sendable {
  private static let alignment = 128

  /// Set once; the memory it points to is only accessed atomically, and freed with the last reference to
  /// this object.
  @usableFromInline
  nonisolated(unsafe) let cells: UnsafeMutablePointer<Atomic<UInt64>>
  @usableFromInline
  package let count: Int

  package init(count: Int) {
    self.count = max(0, count)
    let bytes = max(1, self.count) * MemoryLayout<Atomic<UInt64>>.stride
    let padded = (bytes + Self.alignment - 1) / Self.alignment * Self.alignment
    let memory = UnsafeMutableRawPointer.allocate(byteCount: padded, alignment: Self.alignment)
    cells = memory.bindMemory(to: Atomic<UInt64>.self, capacity: self.count)
    for index in 0..<self.count { (cells + index).initialize(to: Atomic(0)) }
  }

  deinit {
    cells.deinitialize(count: count)
    UnsafeMutableRawPointer(cells).deallocate()
  }

  /// Adds to a cell, wrapping around; only the owning thread may call this.
  @inlinable
  package func add(_ amount: UInt64, at index: Int) {
    precondition(index >= 0 && index < count)
    let value = cells[index].load(ordering: .relaxed)
    cells[index].store(value &+ amount, ordering: .relaxed)
  }

  /// Reads a cell, from any thread.
  @inlinable
  package func value(at index: Int) -> UInt64 {
    precondition(index >= 0 && index < count)
    return cells[index].load(ordering: .relaxed)
  }
}

/// One thread's share of a set of counters.
///
/// Written only by that thread; read from any thread and summed over all shards.
package final class CounterShard<Key: MetricKey>: Sendable {
  @usableFromInline
  let cells: AtomicCells

  package init() {
    cells = AtomicCells(count: Key.cellCount)
  }

  /// Increments a counter; only the owning thread may call this.
  @inlinable
  package func add(_ amount: UInt64 = 1, to key: Key) {
    cells.add(amount, at: key.rawValue)
  }

  /// The counts of this shard.
  @inlinable
  package func value(of key: Key) -> UInt64 {
    cells.value(at: key.rawValue)
  }

  /// The sums over all shards, with a sample for each key.
  package static func samples(summing shards: [CounterShard]) -> [MetricSample] {
    Key.allCases.map { key in
      let sum = shards.reduce(into: UInt64(0)) { $0 &+= $1.value(of: key) }
      return MetricSample(key.definition, .count(sum))
    }
  }
}

/// One thread's share of a set of gauges, as the changes made by this thread.
///
/// A gauge may increase on one thread and decrease on another; only the sum over all shards is its
/// value. Written only by its thread.
package final class GaugeShard<Key: MetricKey>: Sendable {
  @usableFromInline
  let cells: AtomicCells

  package init() {
    cells = AtomicCells(count: Key.cellCount)
  }

  /// Increases or decreases a gauge; only the owning thread may call this.
  @inlinable
  package func add(_ change: Int64, to key: Key) {
    cells.add(UInt64(bitPattern: change), at: key.rawValue)
  }

  /// The changes made in this shard.
  @inlinable
  package func value(of key: Key) -> Int64 {
    Int64(bitPattern: cells.value(at: key.rawValue))
  }

  /// The sums over all shards, with a sample for each key.
  package static func samples(summing shards: [GaugeShard]) -> [MetricSample] {
    Key.allCases.map { key in
      let sum = shards.reduce(into: Int64(0)) { $0 &+= $1.value(of: key) }
      return MetricSample(key.definition, .level(sum))
    }
  }
}
