import Dispatch
import TestSupport
import Testing

@testable import Store

/// Holds a thread until it is opened.
struct Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  func wait() {
    semaphore.wait()
    semaphore.signal()
  }

  /// Waits on the thread of a test, which fails if nothing opens it.
  func expect(_ what: String) {
    do {
      try Deadline.standard.wait(for: what, on: semaphore)
    } catch {
      Issue.record(error)
    }
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
    isHeld.expect("the writer to be held")
    return gate
  }
}
