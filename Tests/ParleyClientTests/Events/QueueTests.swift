import TestSupport
import Testing

@testable import ParleyClient

@Suite("A queue")
struct QueueTests {
  @Test("keeps the order of its elements through any additions and removals")
  func order() {
    for seed: UInt64 in 0..<50 {
      var random = SeededGenerator(seed: seed)
      var (queue, model, next) = (Queue<Int>(), [Int](), 0)
      for _ in 0..<1000 {
        if Int.random(in: 0..<9, using: &random) < 5 {
          queue.append(next)
          model.append(next)
          next += 1
        } else {
          #expect(queue.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
        }
        #expect(queue.count == model.count && queue.isEmpty == model.isEmpty)
        #expect(queue.first == model.first)
      }
    }
  }

  @Test("releases what was removed")
  func release() {
    final class Element {}
    var queue = Queue<Element>()
    weak var last: Element?
    for _ in 0..<10 {
      let element = Element()
      last = element
      queue.append(element)
    }
    for _ in 0..<10 { _ = queue.popFirst() }
    #expect(last == nil)
  }
}
