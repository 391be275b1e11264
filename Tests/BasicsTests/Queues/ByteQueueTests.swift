import Basics
import TestSupport
import Testing

@Suite("A byte queue")
struct ByteQueueTests {
  private func contents(_ queue: ByteQueue) -> [UInt8] { queue.withUnsafeBytes { Array($0) } }

  @Test("returns appended bytes, first in, first out")
  func order() {
    var queue = ByteQueue()
    let more: [UInt8] = [3, 4]
    queue.append([1, 2])
    queue.append(contentsOf: more.span)
    [UInt8]([5, 6]).withUnsafeBytes { queue.append($0) }
    #expect(contents(queue) == [1, 2, 3, 4, 5, 6])
    queue.removeFirst(4)
    #expect(contents(queue) == [5, 6])
    #expect(queue.count == 2)
    queue.removeFirst(2)
    #expect(queue.isEmpty)
    #expect(contents(queue).isEmpty)
  }

  @Test("takes 16 bytes inline, so an idle connection uses no further memory")
  func size() {
    #expect(MemoryLayout<ByteQueue>.size == 16)
  }

  @Test("accepts bytes after being emptied of more than the capacity that it keeps")
  func largeThenSmall() {
    var queue = ByteQueue()
    queue.append([UInt8](repeating: 7, count: 3 * ByteQueue.keptCapacity))
    queue.removeFirst(3 * ByteQueue.keptCapacity)
    queue.append([1])
    #expect(contents(queue) == [1])
  }

  @Test("agrees with an array under any operations", arguments: UInt64(1)...20)
  func model(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var queue = ByteQueue()
    var model: [UInt8] = []
    for _ in 0..<500 {
      if Bool.random(using: &generator) {
        let bytes = generator.bytes(Int.random(in: 0...300, using: &generator))
        queue.append(bytes)
        model += bytes
      } else {
        let count = Int.random(in: 0...model.count, using: &generator)
        queue.removeFirst(count)
        model.removeFirst(count)
      }
      #expect(queue.count == model.count)
    }
    #expect(contents(queue) == model)
  }
}
