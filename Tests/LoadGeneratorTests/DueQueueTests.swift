import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Due queue")
struct DueQueueTests {
  @Test("due items are returned in order of their times", arguments: 1...20)
  func order(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var queue = DueQueue<Int>()
    var waiting: [Int64] = []
    for index in 0..<500 {
      if generator.oneIn(3), let first = waiting.min() {
        #expect(queue.nextTime == first, "seed \(seed)")
        #expect(queue.popDue(at: first - 1) == nil, "seed \(seed)")
        #expect(queue.popDue(at: first)?.time == first, "seed \(seed)")
        if let place = waiting.firstIndex(of: first) { waiting.remove(at: place) }
      } else {
        let time = Int64.random(in: 0...100, using: &generator)
        waiting.append(time)
        queue.insert(index, at: time)
      }
    }
    var taken: [Int64] = []
    while let (time, _) = queue.popDue(at: .max) { taken.append(time) }
    #expect(taken == waiting.sorted(), "seed \(seed)")
  }
}
