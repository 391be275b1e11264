import Synchronization

/// A sum that several threads may add to.
final class Counter: Sendable {
  private let value = Atomic<Int>(0)

  var total: Int { value.load(ordering: .sequentiallyConsistent) }

  func add(_ amount: Int) {
    value.wrappingAdd(amount, ordering: .sequentiallyConsistent)
  }
}
