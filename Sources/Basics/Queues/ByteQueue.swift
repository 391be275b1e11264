/// A first-in, first-out queue of bytes.
///
///     storage   [ taken │ waiting ............ ]
///                       ^ head                 ^ storage.count
///
/// A new queue uses no heap memory. A queue that becomes empty keeps its storage only while that storage
/// is small.
package struct ByteQueue: Sendable {
  /// The size of the storage, in bytes, above which an emptied queue frees it.
  package static let keptCapacity = 4096

  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var head = 0

  /// Makes an empty queue.
  package init() {}

  /// The number of bytes waiting.
  @inlinable package var count: Int { storage.count - head }

  /// Whether no byte is waiting.
  @inlinable package var isEmpty: Bool { head == storage.count }

  /// Appends a copy of `bytes`; amortised O(*n*).
  package mutating func append(contentsOf bytes: Span<UInt8>) {
    makeRoom()
    bytes.withUnsafeBufferPointer { storage.append(contentsOf: $0) }
  }

  /// Appends `bytes`, adopting their storage when the queue is empty.
  package mutating func append(_ bytes: [UInt8]) {
    if isEmpty, storage.capacity < bytes.count {
      storage = bytes
      head = 0
      return
    }
    makeRoom()
    storage.append(contentsOf: bytes)
  }

  /// Appends a copy of `bytes`; amortised O(*n*).
  package mutating func append(_ bytes: UnsafeRawBufferPointer) {
    makeRoom()
    storage.append(contentsOf: bytes)
  }

  /// Removes the first `count` bytes; O(1).
  ///
  /// - Precondition: `count` is not negative and not more than the queue holds.
  package mutating func removeFirst(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "more bytes removed than are queued")
    head += count
    if isEmpty { removeAll() }
  }

  /// Removes all bytes, and frees the storage if it is larger than ``keptCapacity``.
  package mutating func removeAll() {
    head = 0
    if storage.capacity > Self.keptCapacity {
      storage = []
    } else {
      storage.removeAll(keepingCapacity: true)
    }
  }

  /// Keeps only the first `count` bytes, and frees the memory of the others.
  package mutating func keepFirst(_ count: Int) {
    guard count < self.count else { return }
    storage = Array(storage[head..<(head + max(count, 0))])
    head = 0
  }

  /// Provides the waiting bytes, oldest first, for the duration of the call.
  @inlinable
  package func withUnsafeBytes<Result>(
    _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result {
    try storage.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[head...])) }
  }

  /// Closes the gap at the front when it is as large as the waiting bytes.
  ///
  /// Each moved byte corresponds to a byte removed before, so appending stays amortised O(1).
  private mutating func makeRoom() {
    guard head > 0, head >= count else { return }
    storage.removeFirst(head)
    head = 0
  }
}
