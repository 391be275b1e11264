import TestSupport
import Testing

@testable import Channels

@Suite("Update pacer")
struct UpdatePacerTests {
  @Test("the first update is published immediately; of later ones only the newest")
  func newestWins() {
    var pacer = UpdatePacer<String>()
    #expect(pacer.offer("a", of: 1, timestamp: 0, at: 0) == "a")
    #expect(pacer.due == nil && pacer.isIdle)
    #expect(pacer.offer("b", of: 1, timestamp: 10, at: 10) == nil)
    #expect(pacer.offer("c", of: 1, timestamp: 20, at: 20) == nil)
    #expect(pacer.offer("other", of: 2, timestamp: 30, at: 30) == "other")
    #expect(pacer.holds(1) && !pacer.holds(2))
    #expect(pacer.due == 200)
    #expect(pacer.take(at: 199).isEmpty)
    #expect(pacer.take(at: 200) == ["c"])
    #expect(pacer.due == nil)
    #expect(pacer.offer("d", of: 1, timestamp: 210, at: 210) == nil)
    #expect(pacer.take(at: 400) == ["d"])
    #expect(pacer.offer("e", of: 1, timestamp: 600, at: 600) == "e")
  }

  @Test("delayed updates of a deleted message are dropped")
  func forgets() {
    var pacer = UpdatePacer<String>()
    _ = pacer.offer("a", of: 1, timestamp: 0, at: 0)
    _ = pacer.offer("b", of: 1, timestamp: 0, at: 0)
    pacer.forget(1)
    pacer.forget(2)
    #expect(pacer.isIdle && pacer.due == nil)
    #expect(pacer.take(at: 1_000).isEmpty)
    #expect(pacer.messageCount == 0)
  }

  @Test("no event is published before an update that is older by a second")
  func isNotOvertaken() {
    var pacer = UpdatePacer<String>()
    for id in Int64(1)...2 { _ = pacer.offer("first", of: id, timestamp: 0, at: 0) }
    _ = pacer.offer("a", of: 1, timestamp: 1_000, at: 10)
    _ = pacer.offer("b", of: 2, timestamp: 1_500, at: 10)
    #expect(pacer.takeOvertaken(by: 1_999, at: 20).isEmpty)
    #expect(pacer.takeOvertaken(by: 2_000, at: 30) == ["a"])
    #expect(pacer.offer("c", of: 1, timestamp: 2_000, at: 200) == nil)
    #expect(pacer.take(at: 200) == ["b"])
    #expect(pacer.take(at: 230) == ["c"])
  }

  @Test("beyond its capacity updates are published immediately")
  func isBounded() {
    var pacer = UpdatePacer<Int64>(capacity: 2)
    for id in Int64(1)...3 { _ = pacer.offer(0, of: id, timestamp: 0, at: 0) }
    let published = (Int64(1)...3).map { pacer.offer($0, of: $0, timestamp: 0, at: 1) }
    #expect(published == [nil, nil, 3])
    #expect(pacer.offer(4, of: 1, timestamp: 0, at: 2) == nil)
    #expect(pacer.take(at: 300) == [4, 2])
  }

  @Test(
    "each message is published at most five times a second, and ends in its newest state",
    arguments: UInt64(1)...20)
  func agreesWithTheRule(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var comparison = PacerComparison()
    for _ in 0..<1_500 { comparison.step(using: &generator) }
    comparison.finish()
  }
}

/// A pacer beside all that went in and came out.
private struct PacerComparison {
  private struct Update {
    let id: Int64
    let number: Int
    let timestamp: Int64
  }

  private var pacer = UpdatePacer<Update>()
  private var now: Int64 = 0
  private var number = 0
  private var newest: [Int64: Int] = [:]
  private var published: [Int64: [(number: Int, time: Int64)]] = [:]
  private var deleted: Set<Int64> = []

  mutating func step(using generator: inout SeededGenerator) {
    now += Int64.random(in: 0...60, using: &generator)
    publish(pacer.take(at: now))
    let id = Int64.random(in: 0..<6, using: &generator)
    guard !deleted.contains(id) else { return }
    if Int.random(in: 0..<400, using: &generator) == 0 {
      pacer.forget(id)
      deleted.insert(id)
      newest[id] = nil
      return
    }
    number += 1
    newest[id] = number
    let update = Update(id: id, number: number, timestamp: now)
    let told = pacer.offer(update, of: id, timestamp: now, at: now)
    #expect((told == nil) == pacer.holds(id))
    publish(told.map { [$0] } ?? [])
    #expect((pacer.due == nil) == pacer.isIdle)
  }

  mutating func finish() {
    while let due = pacer.due {
      #expect(due <= now + 200)
      now = max(now, due)
      publish(pacer.take(at: now))
    }
    for (id, number) in newest { #expect(published[id]?.last?.number == number) }
    for list in published.values {
      for (index, entry) in list.enumerated() where index >= 5 {
        #expect(entry.time - list[index - 5].time >= 1_000)
      }
    }
    _ = pacer.offer(
      Update(id: 99, number: 0, timestamp: now), of: 99, timestamp: now, at: now + 500)
    #expect(pacer.messageCount == 1)
  }

  private mutating func publish(_ updates: [Update]) {
    for update in updates {
      #expect(!deleted.contains(update.id))
      #expect(update.number > published[update.id]?.last?.number ?? 0)
      #expect(now - update.timestamp <= 260)
      published[update.id, default: []].append((update.number, now))
    }
  }
}
