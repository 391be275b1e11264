import CLinux
import Glibc
import Synchronization

/// Hands items from any thread to one, in the order in which they were posted.
///
/// A burst costs one wake-up: the event descriptor is written only when the mailbox was empty.
package final class Mailbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  /// Readable while something may be in the mailbox.
  package let descriptor: Int32

  package init() throws(SystemError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK) | Int32(EFD_CLOEXEC))
    guard descriptor >= 0 else { throw .last("eventfd") }
  }

  deinit {
    Socket.close(descriptor)
  }

  /// Adds an item and wakes the receiver if it may sleep.
  package func post(_ item: Item) {
    let wasEmpty = items.withLock { items in
      items.append(item)
      return items.count == 1
    }
    if wasEmpty { wake() }
  }

  /// Adds an item that the receiver may find late: ``ring()`` is to follow soon.
  ///
  /// So what belongs together arrives together, where the first item's wake-up would set the
  /// receiver off before the others were there.
  package func leave(_ item: Item) {
    items.withLock { $0.append(item) }
  }

  /// Wakes the receiver if something waits.
  package func ring() {
    if count > 0 { wake() }
  }

  /// How many items wait.
  package var count: Int { items.withLock { $0.count } }

  /// Takes all that waits.
  ///
  /// Only the receiver calls it.
  ///
  /// - Parameter spare: An empty array whose storage the mailbox may use next.
  package func takeAll(reusing spare: consuming [Item]) -> [Item] {
    var taken = spare
    items.withLock { swap(&$0, &taken) }
    return taken
  }

  /// Makes ``descriptor`` unreadable again.
  ///
  /// Call it before ``takeAll(reusing:)``.
  package func acknowledge() {
    var value: UInt64 = 0
    _ = read(descriptor, &value, MemoryLayout<UInt64>.size)
  }

  private func wake() {
    var one: UInt64 = 1
    // It fails only when the counter is at its maximum, and then the receiver is awake anyway.
    _ = write(descriptor, &one, MemoryLayout<UInt64>.size)
  }
}
