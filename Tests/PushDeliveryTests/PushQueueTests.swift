import ParleyProtocol
import TestSupport
import Testing

@testable import PushDelivery

@Suite("Queue of pushes")
struct PushQueueTests {
  private func device(_ name: String) -> PushLine { .device(.web, name: name) }

  @Test("one device gets one push after the other, in order")
  func order() throws {
    var queue = PushQueue<Int>(concurrency: 8)
    for number in 1...3 { queue.append(number, to: device("a"), host: "h") }
    queue.append(4, to: device("b"), host: "h")
    let takenFirst = queue.next(at: 0)
    let first = try #require(takenFirst)
    #expect(first.push == 1)
    #expect(queue.next(at: 0)?.push == 4)
    #expect(queue.next(at: 0) == nil)
    queue.end(first, at: 1)
    let takenSecond = queue.next(at: 1)
    let second = try #require(takenSecond)
    #expect(second.push == 2)
    queue.putBack(second, at: 1)
    #expect(queue.next(at: 1)?.push == 2)
  }

  @Test("a host has at most half of the requests, and hosts take turns")
  func hosts() throws {
    var queue = PushQueue<Int>(concurrency: 8)
    for number in 0..<20 { queue.append(number, to: device("a\(number)"), host: "slow") }
    for number in 20..<40 { queue.append(number, to: device("b\(number)"), host: "fast") }
    var turns: [PushQueue<Int>.Turn] = []
    while let turn = queue.next(at: 0) { turns.append(turn) }
    #expect(turns.map(\.host) == ["slow", "fast", "slow", "fast", "slow", "fast", "slow", "fast"])
    for turn in turns where turn.host == "fast" { queue.end(turn, at: 1) }
    var more: [String] = []
    while let turn = queue.next(at: 1) { more.append(turn.host) }
    #expect(more == Array(repeating: "fast", count: 4))
    #expect(!queue.isStalled("slow", at: 2_000))
    #expect(queue.isStalled("slow", at: 2_001))
  }

  @Test("a held host waits, and the others go on")
  func held() {
    var queue = PushQueue<Int>(concurrency: 4)
    queue.append(1, to: device("a"), host: "x")
    queue.append(2, to: device("b"), host: "y")
    queue.hold("x")
    #expect(queue.next(at: 0)?.push == 2)
    #expect(queue.next(at: 0) == nil)
    queue.resume("x")
    #expect(queue.next(at: 0)?.push == 1)
  }

  @Test("removal keeps the order and the counts")
  func removal() throws {
    var queue = PushQueue<Int>(concurrency: 4)
    for number in 0..<6 { queue.append(number, to: device("a"), host: number < 3 ? "x" : "y") }
    let takenFirst = queue.next(at: 0)
    let first = try #require(takenFirst)
    #expect(queue.remove { $0 % 2 == 1 } == [1, 3, 5])
    #expect(queue.count == 3)
    queue.end(first, at: 0)
    var rest: [Int] = []
    while let turn = queue.next(at: 0) {
      rest.append(turn.push)
      queue.end(turn, at: 0)
    }
    #expect(rest == [2, 4])
    #expect(queue.count == 0)
  }

  @Test("any order of sends and ends keeps the order of each device and the limits")
  func property() {
    var generator = SeededGenerator(seed: 71)
    var queue = PushQueue<(line: Int, number: Int)>(concurrency: 6)
    var inFlight: [PushQueue<(line: Int, number: Int)>.Turn] = []
    var added = [Int](repeating: 0, count: 10)
    var sent = [Int](repeating: 0, count: 10)
    var perHost: [String: Int] = [:]
    for step in 0..<5_000 {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        let line = Int.random(in: 0..<10, using: &generator)
        queue.append((line, added[line]), to: device("\(line)"), host: "h\(line % 3)")
        added[line] += 1
      case 1:
        guard let turn = queue.next(at: Int64(step)) else { continue }
        #expect(turn.push.number == sent[turn.push.line])
        #expect(!inFlight.contains { $0.line == turn.line })
        sent[turn.push.line] += 1
        perHost[turn.host, default: 0] += 1
        #expect(perHost[turn.host, default: 0] <= 3)
        inFlight.append(turn)
        #expect(inFlight.count <= 6)
      default:
        guard let index = inFlight.indices.randomElement(using: &generator) else { continue }
        let turn = inFlight.remove(at: index)
        perHost[turn.host, default: 0] -= 1
        queue.end(turn, at: Int64(step))
      }
      #expect(queue.waitingCount == added.reduce(0, +) - sent.reduce(0, +))
    }
  }

  @Test("jobs leave in their order, whichever is read first")
  func expansions() {
    var expansions = PushExpansions<String>()
    for id in [1, 2, 3] as [Int64] { expansions.begin(id) }
    expansions.finish(2, with: "b")
    #expect(expansions.next() == nil)
    expansions.drop(1)
    #expect(expansions.next()?.content == "b")
    expansions.finish(3, with: "c")
    #expect(expansions.next()?.jobID == 3)
    #expect(expansions.count == 0)
  }
}
