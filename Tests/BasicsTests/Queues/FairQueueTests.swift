import Basics
import TestSupport
import Testing

@Suite("The fair queue")
struct FairQueueTests {
  private typealias Queue = FairQueue<String, Int>

  private func queue(
    total: Int = 1_000, perPrincipal: Int = 1_000, running: Int = .max
  ) -> Queue {
    Queue(
      capacity: .init(total: total, perPrincipal: perPrincipal, runningPerPrincipal: running))
  }

  @Test("one principal's jobs run in the order of submission")
  func keepsOrder() {
    var queue = queue()
    for job in 0..<10 { #expect(queue.submit(job, for: "ann") == .accepted) }
    var taken: [Int] = []
    while let next = queue.take() {
      taken.append(next.job)
      queue.finish(next.principal, after: 1)
    }
    #expect(taken == Array(0..<10))
    #expect(queue.count == 0)
  }

  @Test("the principal that has used the least time is next, however many jobs another has waiting")
  func servesLeastServed() {
    var queue = queue()
    for job in 0..<5 { _ = queue.submit(job, for: "busy") }
    var order: [String] = []
    for _ in 0..<2 {
      guard let next = queue.take() else { break }
      order.append(next.principal)
      queue.finish(next.principal, after: 100)
    }
    _ = queue.submit(0, for: "new")
    _ = queue.submit(1, for: "new")
    while let next = queue.take() {
      order.append(next.principal)
      queue.finish(next.principal, after: next.principal == "new" ? 10 : 100)
    }
    #expect(order == ["busy", "busy", "new", "new", "busy", "busy", "busy"])
  }

  @Test("with several workers, a principal with a running job yields to one without")
  func spreadsOverWorkers() {
    var queue = queue()
    for job in 0..<4 { _ = queue.submit(job, for: "busy") }
    let first = queue.take()?.principal
    _ = queue.submit(0, for: "other")
    let others = [queue.take()?.principal, queue.take()?.principal]
    #expect(first == "busy")
    #expect(others == ["other", "busy"])
  }

  @Test("a principal never exceeds its limit of running jobs, even if no other principal waits")
  func capsRunning() {
    var queue = queue(running: 2)
    for job in 0..<4 { _ = queue.submit(job, for: "busy") }
    #expect([queue.take()?.job, queue.take()?.job, queue.take()?.job] == [0, 1, nil])
    _ = queue.submit(9, for: "other")
    #expect(queue.take()?.job == 9)
    queue.finish("busy", after: 1)
    #expect(queue.take()?.job == 2)
    #expect(queue.runningCount == 3 && queue.count == 1)
  }

  @Test("removed jobs are no longer counted, and the others keep their order")
  func takesOut() {
    var queue = queue()
    for job in 0..<6 { _ = queue.submit(job, for: "ann") }
    _ = queue.take()
    _ = queue.submit(7, for: "bob")
    queue.removeAll { $0 % 2 == 1 }
    #expect(queue.count == 2)
    var left: [Int] = []
    while let next = queue.take() { left.append(next.job) }
    #expect(left == [2, 4])
  }

  @Test("an idle principal accumulates no credit, and its used time is not reset")
  func pauses() {
    var queue = queue()
    for job in 0..<20 { _ = queue.submit(job, for: "steady") }
    _ = queue.submit(0, for: "bursty")
    // Both get their first turn; the bursty one used as much as ten of the other's.
    for _ in 0..<2 {
      guard let next = queue.take() else { break }
      queue.finish(next.principal, after: next.principal == "bursty" ? 1_000 : 100)
    }
    _ = queue.submit(1, for: "bursty")
    var before = 0
    while let next = queue.take(), next.principal == "steady" {
      before += 1
      queue.finish(next.principal, after: 100)
    }
    #expect((8...10).contains(before), "\(before) turns")
  }

  @Test("a full share refuses only its own principal, a full queue refuses everyone")
  func isBounded() {
    var queue = queue(total: 3, perPrincipal: 2)
    #expect(queue.submit(1, for: "ann") == .accepted)
    #expect(queue.submit(2, for: "ann") == .accepted)
    #expect(queue.submit(3, for: "ann") == .principalFull)
    #expect(queue.submit(4, for: "bob") == .accepted)
    #expect(queue.submit(5, for: "cy") == .full)
    #expect(Set(queue.removeAll()) == [1, 2, 4])
    #expect(queue.count == 0)
    #expect(queue.submit(6, for: "cy") == .accepted)
  }

  @Test("principals that submit continuously get equal time", arguments: UInt64(1)...20)
  func isFair(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = queue()
    let principals = (0..<Int.random(in: 2...6, using: &random)).map { "user\($0)" }
    // The cost of each one's queries, up to a hundred times another's, and how many it keeps waiting.
    let costs = principals.map { _ in UInt64.random(in: 1...100, using: &random) }
    let depths = principals.map { _ in Int.random(in: 1...30, using: &random) }
    for (index, principal) in principals.enumerated() {
      for job in 0..<depths[index] { _ = queue.submit(job, for: principal) }
    }
    var used = [String: UInt64]()
    var time: UInt64 = 0
    while time < 20_000, let next = queue.take() {
      guard let index = principals.firstIndex(of: next.principal) else { continue }
      // It asks again before it is served, as with several connections.
      _ = queue.submit(0, for: next.principal)
      queue.finish(next.principal, after: costs[index])
      used[next.principal, default: 0] += costs[index]
      time += costs[index]
    }
    let (least, most) = (used.values.min() ?? 0, used.values.max() ?? 0)
    #expect(used.count == principals.count, "seed \(seed)")
    #expect(most - least <= 200, "seed \(seed): \(used)")
  }

  @Test("every job runs exactly once, in its principal's order", arguments: UInt64(1)...20)
  func losesNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var queue = queue(total: 50, perPrincipal: 20)
    var expected: [String: [Int]] = [:]
    var running: [String] = []
    for job in 0..<2_000 {
      if Bool.random(using: &random) {
        let principal = "user\(Int.random(in: 0..<8, using: &random))"
        if queue.submit(job, for: principal) == .accepted {
          expected[principal, default: []].append(job)
        }
      } else if let next = queue.take() {
        let oldest = expected[next.principal]?.removeFirst()
        #expect(oldest == next.job, "seed \(seed)")
        running.append(next.principal)
      }
      if running.count > 3 {
        let index = Int.random(in: 0..<running.count, using: &random)
        queue.finish(running.remove(at: index), after: .random(in: 0...100, using: &random))
      }
      #expect(queue.count == expected.values.reduce(0) { $0 + $1.count }, "seed \(seed)")
    }
  }

  @Test("state kept for departed principals is bounded, and removed once all have left")
  func forgets() {
    var queue = queue(total: 10, perPrincipal: 10)
    for _ in 0..<3 { _ = queue.submit(0, for: "steady") }
    _ = queue.take()
    for number in 0..<5_000 {
      _ = queue.submit(0, for: "user\(number)")
      if let next = queue.take() { queue.finish(next.principal, after: 1_000) }
    }
    #expect(queue.principalCount <= 1_100)
    _ = queue.removeAll()
    queue.finish("steady", after: 1)
    #expect(queue.principalCount == 0)
  }
}
