import Channels
import Dispatch
import TestSupport

@testable import Store

/// Keeps a store's threads from going on, so that a test can do something in between.
final class HeldStore: Sendable {
  private let gate = DispatchSemaphore(value: 0)
  private let heldCount: Int

  /// Holds what is looked up from now on.
  init(reading store: Store) {
    // One for each of the store's readers.
    heldCount = StoreOptions().lookUpReaderCount
    for _ in 0..<heldCount {
      store.lookUp { [gate] _ in
        gate.wait()
      } completion: { _ in
      }
    }
  }

  /// Holds the lists and searches from now on.
  init(querying store: Store) {
    heldCount = StoreOptions().queryReaderCount
    for number in 0..<heldCount {
      store.query(for: .user("holder\(number)")) { [gate] _ in
        gate.wait()
      } completion: { _, _ in
      }
    }
  }

  /// Holds what is written from now on: the writer has taken nothing that comes later.
  init(writing store: Store) throws {
    heldCount = 1
    let isHeld = DispatchSemaphore(value: 0)
    store.write { [gate] _ in
      isHeld.signal()
      gate.wait()
    } completion: { _ in
    }
    try Deadline.standard.wait(for: "the writer to be held", on: isHeld)
  }

  func release() {
    for _ in 0..<heldCount { gate.signal() }
  }
}
