import Testing

@testable import FloodControl
import TestSupport

@Suite("Throttle")
struct ThrottleTests {
  private let limit = RateLimit(count: 2, windowMilliseconds: 1000)

  @Test("a participant is shown at most the limit in the second that ends with a message")
  func others() {
    var throttle = Throttle()
    let decisions = [0, 500, 999, 1000, 1499, 1500].enumerated().map { id, time in
      throttle.decide(.others, createdAt: Int64(time), messageID: Int64(id), limit: limit)
    }
    #expect(decisions == [.shown, .shown, .withheld, .shown, .withheld, .shown])
  }

  @Test("the messages shown in the second that ends with a message can be counted")
  func shownCount() {
    var throttle = Throttle()
    for (id, time) in [(1, 0), (2, 500), (3, 999)] as [(Int64, Int64)] {
      _ = throttle.decide(.others, createdAt: time, messageID: id, limit: limit)
    }
    #expect(throttle.shownCount(at: 999, limit: limit) == 2)
    #expect(throttle.shownCount(at: 1000, limit: limit) == 1)
    #expect(throttle.shownCount(at: 1500, limit: limit) == 0)
    #expect(throttle.withheld?.count == 1)
  }

  @Test("a participant's own messages are always shown, and count")
  func own() {
    var throttle = Throttle()
    for id in 1...3 {
      let decision = throttle.decide(.own, createdAt: 0, messageID: Int64(id), limit: limit)
      #expect(decision == .shown)
    }
    #expect(throttle.decide(.others, createdAt: 999, messageID: 4, limit: limit) == .withheld)
    #expect(throttle.decide(.others, createdAt: 1000, messageID: 5, limit: limit) == .shown)
  }

  @Test("admin messages are always shown, and do not count")
  func admin() {
    var throttle = Throttle()
    for id in 1...9 {
      #expect(throttle.decide(.admin, createdAt: 0, messageID: Int64(id), limit: limit) == .shown)
    }
    #expect(throttle.decide(.others, createdAt: 0, messageID: 10, limit: limit) == .shown)
    #expect(throttle.decide(.others, createdAt: 0, messageID: 11, limit: limit) == .shown)
  }

  @Test("an operator is shown everything, and these messages count once the role ends")
  func operators() {
    var throttle = Throttle()
    for id in 1...9 {
      let decision = throttle.decide(
        .operatorView, createdAt: 0, messageID: Int64(id), limit: limit)
      #expect(decision == .shown)
    }
    #expect(throttle.decide(.others, createdAt: 999, messageID: 10, limit: limit) == .withheld)
  }

  @Test("withheld messages are returned once, with their number and range")
  func summary() {
    var throttle = Throttle()
    #expect(throttle.takeWithheld() == nil)
    for id in 1...5 {
      _ = throttle.decide(.others, createdAt: 0, messageID: Int64(id * 10), limit: limit)
    }
    let withheld = throttle.takeWithheld()
    #expect(withheld?.count == 3)
    #expect(withheld?.firstMessageID == 30)
    #expect(withheld?.lastMessageID == 50)
    #expect(throttle.withheld == nil)
    _ = throttle.decide(.others, createdAt: 1, messageID: 60, limit: limit)
    #expect(throttle.takeWithheld() == WithheldMessages(firstMessageID: 60))
  }

  @Test("participants who missed the same messages have equal summaries")
  func equalSummaries() {
    var summaries: Set<WithheldMessages> = []
    for _ in 0..<3 {
      var throttle = Throttle()
      for id in 1...6 {
        _ = throttle.decide(.others, createdAt: 0, messageID: Int64(id), limit: limit)
      }
      if let withheld = throttle.takeWithheld() { summaries.insert(withheld) }
    }
    #expect(summaries.count == 1)
  }

  @Test("a disabled limit withholds nothing")
  func off() {
    var throttle = Throttle()
    let off = RateLimit(count: 5, windowMilliseconds: 0)
    for id in 1...100 {
      #expect(throttle.decide(.others, createdAt: 0, messageID: Int64(id), limit: off) == .shown)
    }
  }

  @Test("one participant's state takes at most 48 bytes")
  func size() {
    #expect(MemoryLayout<Throttle>.stride <= 48)
  }

  @Test("decisions match the specification", arguments: 1...25)
  func againstRule(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let limit = RateLimit(
      count: Int.random(in: 1...6, using: &random),
      windowMilliseconds: Int64.random(in: 1...50, using: &random))
    var throttle = Throttle()
    var shown = NaiveWindow()
    var createdAt: Int64 = 0
    var mismatches = 0
    for id in 1...200 {
      createdAt += Int64(
        [0, 0, 1, 5, Int(limit.windowMilliseconds)].randomElement(using: &random) ?? 0)
      let relation = try #require(Throttle.Relation.allCases.randomElement(using: &random))
      let isShown = relation != .others || shown.hasRoom(at: createdAt, limit)
      if isShown, relation != .admin { shown.record(at: createdAt, limit) }
      let decision = throttle.decide(
        relation, createdAt: createdAt, messageID: Int64(id), limit: limit)
      mismatches += decision == (isShown ? .shown : .withheld) ? 0 : 1
    }
    #expect(mismatches == 0, "seed \(seed)")
  }
}
