import ClientTransport
import Dispatch
import Testing

@Suite("A locked value")
struct LockedTests {
  @Test("is changed by one thread at a time")
  func exclusion() {
    let count = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<10_000 { count.withLock { $0 += 1 } }
    }
    #expect(count.withLock { $0 } == 80_000)
  }

  @Test("is unlocked after an error, and released with its lock")
  func errors() {
    struct Failure: Error {}
    final class Value: Sendable {}
    weak var value: Value?
    do {
      let made = Value()
      value = made
      let locked = Locked(made)
      #expect(throws: Failure.self) {
        try locked.withLock { _ throws(Failure) in throw Failure() }
      }
      locked.withLock { _ in }
    }
    #expect(value == nil)
  }
}
