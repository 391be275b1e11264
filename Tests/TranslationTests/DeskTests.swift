import Basics
import TestSupport
import Testing

@testable import Translation

@Suite("The scheduling of translations")
struct DeskTests {
  private var desk = DeskTests.desk()

  private static func desk(
    concurrency: Int = 2, charactersPerDay: Int64 = 0, charactersPerUserMinute: Int64 = 0,
    budget: DailyBudget = DailyBudget()
  ) -> TranslationDesk {
    var bounds = TranslationDesk.Bounds(concurrency: concurrency, timeout: 5_000, patience: 1_800)
    bounds.charactersPerDay = charactersPerDay
    bounds.charactersPerUserMinute = charactersPerUserMinute
    bounds.capacity = 3
    return TranslationDesk(bounds, budget: budget)
  }

  private func order(_ id: UInt64) -> TranslationOrderID { .init(rawValue: id) }
  private func job(_ id: UInt64) -> TranslationJobID { .init(rawValue: id) }

  private mutating func take(
    _ id: UInt64, _ text: String, _ codes: String..., by user: String? = nil, at now: Int64 = 0,
    day: Int64 = 1
  ) -> [TranslationAction] {
    var actions: [TranslationAction] = []
    desk.take(
      order(id), codes.map { (TranslationText(text, into: $0), [$0]) }, for: user, beside: .init(),
      until: now + 5_000, at: now, day: day, into: &actions)
    return actions
  }

  private mutating func end(
    _ id: UInt64, _ outcome: TranslationOutcome, at now: Int64 = 0
  ) -> [TranslationAction] {
    var actions: [TranslationAction] = []
    desk.end(job(id), outcome, at: now, jitter: 0, into: &actions)
    return actions
  }

  private mutating func wake(at now: Int64) -> [TranslationAction] {
    var actions: [TranslationAction] = []
    desk.wake(at: now, into: &actions)
    return actions
  }

  private func finished(_ actions: [TranslationAction]) -> [TranslationResult] {
    actions.compactMap { if case .finish(_, let result) = $0 { result } else { nil } }
  }

  private func asks(_ actions: [TranslationAction]) -> Bool {
    actions.contains { if case .start = $0 { true } else { false } }
  }

  @Test("a text is requested once for all waiting orders, and returned as it arrives")
  mutating func sharing() {
    #expect(
      take(1, "a", "es", "de") == [
        .start(job(1), TranslationText("a", into: "es"), deadline: 5_000),
        .start(job(2), TranslationText("a", into: "de"), deadline: 5_000),
      ])
    #expect(take(2, "a", "es") == [])
    let result = TranslationResult(texts: ["es": "A"])
    #expect(
      end(1, .text("A")) == [
        .count(.text("A")), .keep(TranslationText("a", into: "es"), .text("A")),
        .progress(order(1), result), .finish(order(2), result),
      ])
    #expect(
      finished(end(2, .failed("x"))) == [TranslationResult(texts: ["es": "A"], failure: .failed)])
    #expect(desk.runningCount == 0)
  }

  @Test("translation into the source language is not a failure")
  mutating func same() {
    _ = take(1, "a", "es")
    #expect(finished(end(1, .same)) == [TranslationResult()])
  }

  @Test("concurrent and waiting requests are limited")
  mutating func bounds() {
    _ = take(1, "a", "es")
    _ = take(2, "b", "es")
    for id in UInt64(3)...5 { #expect(take(id, "c\(id)", "es") == []) }
    #expect(desk.queuedCount == 3)
    #expect(
      take(6, "d", "es") == [
        .count(.notAsked(.queue)), .finish(order(6), TranslationResult(failure: .failed)),
      ])
    #expect(
      end(1, .same).contains(.start(job(3), TranslationText("c3", into: "es"), deadline: 5_000)))
  }

  @Test("five failures in a row open the circuit, a response closes it")
  mutating func circuit() {
    for id in UInt64(1)...5 {
      _ = take(id, "\(id)", "es")
      _ = end(id, .timedOut)
    }
    #expect(!desk.isUp)
    #expect(
      take(6, "6", "es", at: 10) == [
        .count(.notAsked(.circuit)), .finish(order(6), TranslationResult(failure: .failed)),
      ])
    #expect(
      take(7, "7", "es", at: 1_000).first
        == .start(job(6), TranslationText("7", into: "es"), deadline: 6_000))
    #expect(take(8, "8", "es", at: 1_001).first == .count(.notAsked(.circuit)))
    #expect(end(6, .text("x"), at: 1_010).contains(.report(.closed)))
    #expect(desk.isUp)
  }

  @Test("a service that refuses a request counts as up")
  mutating func refusals() {
    for id in UInt64(1)...9 {
      _ = take(id, "\(id)", "es")
      #expect(finished(end(id, .refused)) == [TranslationResult(failure: .failed)])
    }
    #expect(desk.isUp)
  }

  @Test("a pause requested by the service is kept")
  mutating func pause() {
    _ = take(1, "a", "es")
    _ = take(2, "b", "es")
    _ = take(3, "c", "es")
    let actions = end(1, .overloaded(wait: 7_000), at: 100)
    // The one that waits is told at once.
    #expect(finished(actions).count == 2)
    #expect(take(4, "d", "es", at: 7_099).first == .count(.notAsked(.circuit)))
    #expect(
      take(5, "e", "es", at: 7_100)
        == [.start(job(4), TranslationText("e", into: "es"), deadline: 12_100)])
  }

  @Test("five requests beyond the patience make a service slow, a timely response ends that")
  mutating func slowness() {
    desk = Self.desk(concurrency: 16)
    for id in UInt64(1)...4 { _ = take(id, "\(id)", "es") }
    _ = wake(at: 1_799)
    #expect(!desk.isSlow)
    _ = wake(at: 1_800)
    #expect(!desk.isSlow)
    _ = take(5, "5", "es", at: 1_800)
    _ = wake(at: 3_600)
    #expect(desk.isSlow)
    _ = end(5, .text("x"), at: 3_700)
    #expect(desk.isSlow)
    _ = take(6, "6", "es", at: 3_700)
    _ = end(6, .text("x"), at: 3_800)
    #expect(!desk.isSlow)
  }

  @Test("an order at its deadline gets the finished texts; its requests continue")
  mutating func deadlines() {
    _ = take(1, "a", "es", "de")
    _ = end(1, .text("A"), at: 10)
    #expect(desk.wakeTime == 1_800)
    #expect(finished(wake(at: 4_999)) == [])
    #expect(
      finished(wake(at: 5_000)) == [TranslationResult(texts: ["es": "A"], failure: .timedOut)])
    #expect(desk.runningCount == 1)
    #expect(
      end(2, .text("B"), at: 5_001).last == .keep(TranslationText("a", into: "de"), .text("B")))
  }

  @Test("a request without waiting orders is not sent")
  mutating func cancelling() {
    _ = take(1, "a", "es")
    _ = take(2, "b", "es")
    _ = take(3, "c", "es")
    var actions: [TranslationAction] = []
    desk.cancel(order(3), at: 0, into: &actions)
    #expect(finished(actions) == [TranslationResult()])
    #expect(desk.queuedCount == 0)
    #expect(!end(1, .same).contains { if case .start = $0 { true } else { false } })
  }

  @Test("a day's characters are used up until the next day")
  mutating func budget() {
    desk = Self.desk(charactersPerDay: 10, budget: DailyBudget(day: 1, used: 4))
    #expect(take(1, "12345", "es").count == 1)
    #expect(take(2, "12", "es").first == .count(.notAsked(.budget)))
    #expect(desk.usage == DailyBudget(day: 1, used: 9))
    #expect(take(3, "12", "es", day: 2).count == 1)
    #expect(desk.usage == DailyBudget(day: 2, used: 2))
  }

  @Test("users take turns, and the user with most requests loses one when too many wait")
  mutating func turns() {
    desk = Self.desk(concurrency: 1)
    for id in UInt64(1)...4 { _ = take(id, "ann \(id)", "es", by: "ann") }
    #expect(
      take(5, "bob", "es", by: "bob") == [
        .count(.notAsked(.queue)), .finish(order(4), TranslationResult(failure: .failed)),
      ])
    #expect(take(6, "ann 6", "es", by: "ann").first == .count(.notAsked(.queue)))
    var order: [String] = []
    for id in [1, 2, 5, 3] as [UInt64] {
      for case .start(_, let text, _) in end(id, .same) { order.append(text.text) }
    }
    #expect(order == ["ann 2", "bob", "ann 3"])
  }

  @Test("a waiting request that a user with a shorter queue also wants moves to that queue")
  mutating func joining() {
    desk = Self.desk(concurrency: 1)
    for id in UInt64(1)...4 { _ = take(id, "\(id)", "es", by: "ann") }
    _ = take(5, "4", "es", by: "bob")
    _ = end(1, .same)
    #expect(
      end(2, .same).contains(.start(job(4), TranslationText("4", into: "es"), deadline: 5_000)))
  }

  @Test("an order whose own request is displaced by its next one still ends")
  mutating func givingWay() {
    desk = Self.desk(concurrency: 1)
    for id in UInt64(1)...4 { _ = take(id, "\(id)", "es", by: "ann") }
    var actions: [TranslationAction] = []
    desk.take(
      order(5), ["4", "5", "6"].map { (TranslationText($0, into: "es"), [$0]) }, for: nil,
      beside: .init(), until: 5_000, at: 0, day: 1, into: &actions)
    for id in UInt64(1)...6 { actions += end(id, .text("x")) }
    #expect(Set(finished(actions).map(\.texts.count)).count > 0)
    #expect(desk.queuedCount == 0 && desk.runningCount == 0)
    #expect(finished(actions).count == 5)
  }

  @Test("once half of a day's characters are used, users with little usage get the rest")
  mutating func shares() {
    desk = Self.desk(charactersPerDay: 100)
    for id in UInt64(1)...5 {
      #expect(asks(take(id, "\(id)123456789", "es", by: "ann")))
      _ = end(id, .same)
    }
    #expect(take(6, "0", "es", by: "ann").first == .count(.notAsked(.share)))
    #expect(asks(take(7, "0123456789", "es", by: "bob")))
    #expect(asks(take(8, "a", "es", by: "bob")))
    for id in UInt64(6)...7 { _ = end(id, .same) }
    #expect(take(9, "b", "es", by: "bob").first == .count(.notAsked(.share)))
    #expect(asks(take(10, "c", "es")))
    #expect(asks(take(11, "d", "es", by: "ann", day: 2)))
  }

  @Test("a user's characters per minute are used up until the next minute; those of others are not")
  mutating func minutes() {
    desk = Self.desk(charactersPerUserMinute: 10)
    #expect(asks(take(1, "1234", "es", "de", by: "ann", at: 59_000)))
    for id in UInt64(1)...2 { _ = end(id, .same) }
    #expect(take(2, "123", "es", by: "ann", at: 59_999).first == .count(.notAsked(.rate)))
    #expect(asks(take(3, "12", "es", by: "ann", at: 59_999)))
    #expect(asks(take(4, "123", "de", by: "bob", at: 59_999)))
    for id in UInt64(3)...4 { _ = end(id, .same) }
    #expect(asks(take(5, String(repeating: "x", count: 99), "es", at: 59_999)))
    _ = end(5, .same)
    #expect(asks(take(6, "1234567890", "es", by: "ann", at: 60_000)))
    _ = end(6, .same)
    #expect(take(7, "1", "es", by: "ann", at: 119_999).first == .count(.notAsked(.rate)))
  }

  @Test("characters that were not sent are not counted")
  mutating func givesMinutesBack() {
    desk = Self.desk(concurrency: 1, charactersPerDay: 100, charactersPerUserMinute: 60)
    #expect(asks(take(1, String(repeating: "x", count: 50), "es")))
    #expect(
      take(2, String(repeating: "y", count: 55), "es", by: "ann").first
        == .count(.notAsked(.budget)))
    #expect(take(3, String(repeating: "z", count: 45), "es", by: "ann") == [])
    var actions: [TranslationAction] = []
    desk.cancel(order(3), at: 0, into: &actions)
    _ = end(1, .same)
    #expect(asks(take(4, String(repeating: "y", count: 50), "es", by: "ann")))
  }

  @Test("no waiting request is displaced by a text that is refused")
  mutating func givesWayLast() {
    desk = Self.desk(concurrency: 1, charactersPerDay: 100)
    for id in UInt64(1)...4 { _ = take(id, "ann \(id)", "es", by: "ann") }
    #expect(desk.queuedCount == 3)
    let long = String(repeating: "x", count: 90)
    #expect(take(5, long, "es", by: "bob").first == .count(.notAsked(.budget)))
    #expect(desk.queuedCount == 3)
    // One that finds no place costs nothing.
    let used = desk.usage.used
    #expect(take(6, "y", "es", by: "ann").first == .count(.notAsked(.queue)))
    #expect(desk.usage.used == used)
  }

  @Test("each order ends once, in any history", arguments: 0..<200)
  mutating func anyHistory(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    desk = Self.desk(concurrency: 3, charactersPerDay: 60)
    var (now, lastOrder): (Int64, UInt64) = (0, 0)
    var (open, running): (Set<TranslationOrderID>, Set<TranslationJobID>) = ([], [])
    var asked: [TranslationText: TranslationJobID] = [:]
    var texts: [TranslationJobID: TranslationText] = [:]
    func apply(_ actions: [TranslationAction]) {
      for action in actions {
        switch action {
        case .start(let id, let text, let deadline):
          #expect(running.insert(id).inserted && running.count <= 3)
          #expect(deadline == now + 5_000)
          #expect(asked.updateValue(id, forKey: text) == nil)
          texts[id] = text
        case .progress(let id, _): #expect(open.contains(id))
        case .finish(let id, _): #expect(open.remove(id) != nil)
        case .keep, .count, .report: break
        }
      }
    }
    for _ in 0..<100 {
      now += Int64.random(in: 0...400, using: &random)
      switch Int.random(in: 0...5, using: &random) {
      case 0, 1:
        lastOrder += 1
        open.insert(order(lastOrder))
        var actions: [TranslationAction] = []
        let wanted = Set((0...2).map { _ in "abc".randomElement(using: &random)! })
        let text = "\(Int.random(in: 0...3, using: &random))"
        desk.take(
          order(lastOrder), wanted.map { (TranslationText(text, into: "\($0)"), ["\($0)"]) },
          for: [nil, "ann", "bob"].randomElement(using: &random)!, beside: .init(),
          until: now + 5_000, at: now, day: now / 10_000, into: &actions)
        apply(actions)
      case 2, 3:
        guard let id = running.min(by: { $0.rawValue < $1.rawValue }) else { continue }
        let outcome = [
          TranslationOutcome.text("t"), .same, .refused, .failed("x"), .timedOut,
          .overloaded(wait: 500),
        ].randomElement(using: &random)!
        running.remove(id)
        asked[texts[id]!] = nil
        var actions: [TranslationAction] = []
        desk.end(id, outcome, at: now, jitter: 0.5, into: &actions)
        apply(actions)
      case 4:
        guard let id = open.min(by: { $0.rawValue < $1.rawValue }) else { continue }
        var actions: [TranslationAction] = []
        desk.cancel(id, at: now, into: &actions)
        apply(actions)
      default:
        var actions: [TranslationAction] = []
        desk.wake(at: now, into: &actions)
        apply(actions)
      }
    }
    var actions: [TranslationAction] = []
    desk.close(into: &actions)
    apply(actions)
    #expect(open.isEmpty)
  }
}
