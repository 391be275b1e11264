import Dispatch

@testable import Store

/// Holds a thread until it is opened.
struct Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  func open() {
    semaphore.signal()
  }
}

extension Store {
  /// Holds the writer between two batches: what is submitted until the gate opens gathers.
  func holdWriter() -> Gate {
    let isHeld = Gate()
    let gate = Gate()
    submit(
      .maintenance { _ in
        isHeld.open()
        gate.wait()
      })
    isHeld.wait()
    return gate
  }
}
