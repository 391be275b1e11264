import Synchronization
import TestPeers
import TestSupport

/// A value that another thread gives.
final class Answer<Value: Sendable>: Sendable {
  private let values = Mutex<[Value]>([])
  private let taken = Mutex(0)

  func set(_ value: Value) { values.withLock { $0.append(value) } }

  var last: Value? { values.withLock { $0.last } }

  /// Waits for the next value.
  func wait() throws -> Value {
    let index = taken.withLock { taken in
      defer { taken += 1 }
      return taken
    }
    try Deadline.standard.wait(for: "an answer") { values.withLock { $0.count > index } }
    return values.withLock { $0[index] }
  }
}
