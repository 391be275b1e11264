import Synchronization
import Testing

@testable import Gateway

@Suite("Files being encrypted")
struct ConversionsUnderWayTests {
  @Test("a file is converted once at a time, and all callers get the outcome")
  func shares() {
    let conversions = ConversionsUnderWay<Int>()
    let outcomes = Mutex<[Int]>([])
    var running: [ConversionsUnderWay<Int>.Completion] = []
    for id in ["a", "a", "b"] {
      conversions.run(id) {
        running.append($0)
      } then: { outcome in
        outcomes.withLock { $0.append(outcome) }
      }
    }
    #expect(running.count == 2)
    running[0](1)
    #expect(outcomes.withLock { $0 } == [1, 1])
    conversions.run("a", { running.append($0) }, then: { _ in })
    #expect(running.count == 3)
  }
}
