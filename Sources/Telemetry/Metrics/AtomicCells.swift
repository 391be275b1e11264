public import Synchronization

/// A fixed number of counters that one thread writes and any thread reads.
///
/// Writing is a plain load and store, without a locked instruction, which is right because only
/// one thread writes; readers see every value whole, though not all cells at one instant. The
/// cells begin and end on boundaries of 128 bytes (two cache lines, which processors fetch
/// together), so that shards of different threads never share a line.
@usableFromInline
package final class AtomicCells: Sendable {
  private static let alignment = 128

  /// Set once; what it points to is only accessed atomically, and freed when the last reference to
  /// this object goes.
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
