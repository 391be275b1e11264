import CLinux
import Glibc
public import Synchronization

/// A queue of items from any thread to one, in the order in which they were posted.
///
/// A burst causes one wake-up: the event descriptor is written only when the mailbox was empty.
@usableFromInline
package final class Mailbox<Item: Sendable>: Sendable {
  // Visible to the compiler where the item type is known; otherwise each call looks up types.
  @usableFromInline
  struct State {
    @usableFromInline var items: [Item] = []
    /// Whether the receiver was woken since it last took items.
    @usableFromInline var isWoken = false

    @usableFromInline init() {}
  }

  @usableFromInline let state = Mutex(State())
  /// Readable while the mailbox may contain items.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = Kernel.makeEvent()
    guard descriptor >= 0 else { throw .last("eventfd") }
  }

  deinit {
    Socket.close(descriptor)
  }

  /// Adds an item, and wakes the receiver if it may be asleep.
  @inlinable
  package func post(_ item: Item) {
    let mustWake = state.withLock { state in
      state.items.append(item)
      return Self.mustWake(&state)
    }
    if mustWake { wake() }
  }

  /// Adds several items, of which the receiver takes all or none.
  @inlinable
  package func post(together items: [Item]) {
    let mustWake = state.withLock { state in
      state.items += items
      return Self.mustWake(&state)
    }
    if mustWake { wake() }
  }

  /// Adds an item without waking the receiver; ``wakeReceiver()`` must follow soon.
  ///
  /// This delivers related items together: a wake-up for the first would start the receiver before the
  /// others are added.
  @inlinable
  package func enqueue(_ item: Item) {
    state.withLock { $0.items.append(item) }
  }

  /// Wakes the receiver if items are waiting.
  @inlinable
  package func wakeReceiver() {
    if state.withLock({ !$0.items.isEmpty && Self.mustWake(&$0) }) { wake() }
  }

  /// The number of waiting items.
  package var count: Int { state.withLock { $0.items.count } }

  /// Takes all items.
  ///
  /// Called only by the receiver.
  ///
  /// - Parameter spare: An empty array whose storage the mailbox may reuse.
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
    // Otherwise the write fails only when the counter is at its maximum, and then the receiver is awake.
    repeat {
      result = Kernel.write(descriptor, &one, MemoryLayout<UInt64>.size)
    } while result < 0 && errno == EINTR
  }
}

/// Carries a reference through other threads without letting them use it.
///
/// A reply to an event loop needs the object that sent the request, which is confined to that loop.
/// Other threads may hold and pass on this box, but only the thread that created it may open it.
///
/// `@unchecked Sendable` is sound because ``value`` stops the process on any other thread, and reference
/// counts are atomic. The last reference may be released on another thread, so a confined object must
/// not need its own thread for its deinit.
package struct LoopBound<Value: AnyObject>: @unchecked Sendable {
  private let object: Value
  private let owner: UInt64

  /// Confines an object to the calling thread.
  package init(_ value: Value) {
    object = value
    owner = clinux_thread_id()
  }

  /// The object.
  ///
  /// Accessible only on the thread that confined it.
  package var value: Value {
    precondition(owner == clinux_thread_id(), "a confined object was used on another thread")
    return object
  }
}
