import CLinux
import Glibc
public import Synchronization

/// Hands items from any thread to one, in the order in which they were posted.
///
/// A burst costs one wake-up: the event descriptor is written only when the mailbox was empty.
@usableFromInline
package final class Mailbox<Item: Sendable>: Sendable {
  // Visible to the compiler where items have a type: without that each call looks types up.
  @usableFromInline
  struct State {
    @usableFromInline var items: [Item] = []
    /// Whether the receiver was woken since it last took what there was.
    @usableFromInline var isWoken = false

    @usableFromInline init() {}
  }

  @usableFromInline let state = Mutex(State())
  /// Readable while something may be in the mailbox.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = Kernel.makeEvent()
    guard descriptor >= 0 else { throw .last("eventfd") }
  }

  deinit {
    Socket.close(descriptor)
  }

  /// Adds an item and wakes the receiver if it may sleep.
  @inlinable
  package func post(_ item: Item) {
    let mustWake = state.withLock { state in
      state.items.append(item)
      return Self.mustWake(&state)
    }
    if mustWake { wake() }
  }

  /// Adds an item that the receiver may find late: ``wakeReceiver()`` is to follow soon.
  ///
  /// So what belongs together arrives together, where the first item's wake-up would set the
  /// receiver off before the others were there.
  @inlinable
  package func enqueue(_ item: Item) {
    state.withLock { $0.items.append(item) }
  }

  /// Wakes the receiver if something waits.
  @inlinable
  package func wakeReceiver() {
    if state.withLock({ !$0.items.isEmpty && Self.mustWake(&$0) }) { wake() }
  }

  /// How many items wait.
  package var count: Int { state.withLock { $0.items.count } }

  /// Takes all that waits.
  ///
  /// Only the receiver calls it.
  ///
  /// - Parameter spare: An empty array whose storage the mailbox may use next.
  @inlinable
  package func takeAll(reusing spare: consuming [Item]) -> [Item] {
    var taken = spare
    state.withLock { state in
      swap(&state.items, &taken)
      state.isWoken = false
    }
    return taken
  }

  /// Makes ``descriptor`` unreadable again.
  ///
  /// Call it before ``takeAll(reusing:)``.
  package func acknowledge() {
    var value: UInt64 = 0
    _ = Kernel.read(descriptor, &value, MemoryLayout<UInt64>.size)
  }

  @inlinable
  static func mustWake(_ state: inout State) -> Bool {
    defer { state.isWoken = true }
    return !state.isWoken
  }

  @usableFromInline
  func wake() {
    var one: UInt64 = 1
    var result = 0
    // Else it fails only when the counter is at its maximum, and then the receiver is awake anyway.
    repeat {
      result = Kernel.write(descriptor, &one, MemoryLayout<UInt64>.size)
    } while result < 0 && errno == EINTR
  }
}
