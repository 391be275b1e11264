import FloodControl
import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Delivery audit")
struct DeliveryAuditTests {
  private static let off = RateLimit(count: 0, windowMilliseconds: 1000)
  private static let standard = RateLimit(count: 5, windowMilliseconds: 1000)

  /// Message `index` has the `seq` index + 1, and comes from connection 0.
  private func message(_ index: Int, every milliseconds: Int64 = 10) -> ConfirmedMessage {
    ConfirmedMessage(
      seq: Int64(index) + 1, createdAt: Int64(index) * milliseconds, messageID: Int64(index) + 1,
      sender: 0, number: UInt32(index))
  }

  private func audit(
    _ messages: [ConfirmedMessage], _ limit: RateLimit = off
  ) -> DeliveryAudit {
    var audit = DeliveryAudit(limit: limit)
    // Answers come in any order.
    for message in messages.reversed() { audit.accept(message, in: 0) }
    audit.sort()
    return audit
  }

  private func trace(
    _ messages: [ConfirmedMessage], subscriber: UInt32 = 1, isOperator: Bool = false
  ) -> SubscriptionTrace {
    var trace = SubscriptionTrace(subscriber: subscriber, channel: 0, isOperator: isOperator)
    trace.enter(at: 0)
    for message in messages { receive(message, &trace) }
    return trace
  }

  private func receive(_ message: ConfirmedMessage, _ trace: inout SubscriptionTrace) {
    trace.receive(seq: message.seq, sender: message.sender, number: message.number)
  }

  @Test("a trace with every delivery once and in order is clean")
  func clean() {
    let messages = (0..<100).map { message($0) }
    var audit = audit(messages)
    let verdict = audit.judge(trace(messages))
    #expect(verdict.isClean)
    #expect(verdict.expected == 100 && verdict.delivered == 100)
    #expect(audit.judge(trace([], subscriber: 0)).isClean, "the sender itself is sent nothing")
  }

  @Test("a lost delivery is detected")
  func lost() {
    let messages = (0..<100).map { message($0) }
    var audit = audit(messages)
    let verdict = audit.judge(trace(messages.filter { $0.seq != 40 }))
    #expect(verdict.lost == 1 && !verdict.isClean)
    #expect(verdict.examples.first?.contains("seq 40") == true)
  }

  @Test("a duplicate delivery is detected")
  func doubled() {
    let messages = (0..<100).map { message($0) }
    var audit = audit(messages)
    let verdict = audit.judge(trace(messages + [messages[99]]))
    #expect(verdict.doubled == 1 && verdict.lost == 0 && !verdict.isClean)
  }

  @Test("deliveries out of order are detected")
  func disordered() {
    var messages = (0..<100).map { message($0) }
    var audit = audit(messages)
    messages.swapAt(10, 11)
    let verdict = audit.judge(trace(messages))
    #expect(verdict.disordered == 1 && verdict.lost == 0 && !verdict.isClean)
  }

  @Test("a delivery that should be withheld is detected, and a correctly withheld one is no loss")
  func withheld() {
    let messages = (0..<12).map { message($0) }
    var audit = audit(messages, Self.standard)
    let right = audit.judge(trace(Array(messages[..<5])))
    #expect(right.isClean && right.expected == 5 && right.withheld == 7)
    let wrong = audit.judge(trace(Array(messages[..<6])))
    #expect(wrong.uncalledFor == 1 && !wrong.isClean)
    #expect(audit.judge(trace(messages, isOperator: true)).isClean, "operators are shown all")
  }

  @Test("a delivery of a message that was never sent, or with wrong contents, is detected")
  func unknown() {
    let messages = (0..<20).map { message($0) }
    var audit = audit(messages)
    #expect(audit.judge(trace(messages + [message(30)])).uncalledFor == 1)
    var mistaken = messages
    mistaken[7] = ConfirmedMessage(seq: 8, createdAt: 0, messageID: 0, sender: 0, number: 3)
    #expect(audit.judge(trace(mistaken)).mistaken == 1)
  }

  @Test("a delivery before the entry, or to its own sender, is detected")
  func early() {
    let messages = (0..<20).map { message($0) }
    var audit = audit(messages)
    var late = SubscriptionTrace(subscriber: 1, channel: 0, isOperator: false)
    late.enter(at: 10)
    for message in messages[9...] { receive(message, &late) }
    #expect(audit.judge(late).uncalledFor == 1)
    #expect(audit.judge(trace(messages, subscriber: 0)).uncalledFor == 20)
  }

  @Test("a recovery fills the gap; a reported gap is not a loss")
  func recovery() {
    let messages = (0..<30).map { message($0) }
    var audit = audit(messages)
    var recovered = trace(Array(messages[..<10]))
    recovered.leave()
    #expect(recovered.position == 10)
    recovered.enterRecovering()
    for message in messages[10..<20] { receive(message, &recovered) }
    recovered.finishRecovery(at: 20)
    for message in messages[20...] { receive(message, &recovered) }
    #expect(audit.judge(recovered).isClean)
    #expect(audit.judge(recovered).expected == 30)

    var incomplete = trace(Array(messages[..<10]))
    incomplete.enterRecovering()
    for message in messages[11...] { receive(message, &incomplete) }
    #expect(audit.judge(incomplete).lost == 1)

    var gap = trace(Array(messages[..<10]))
    gap.leave()
    gap.enter(at: 20)
    for message in messages[20...] { receive(message, &gap) }
    #expect(audit.judge(gap).isClean && audit.judge(gap).expected == 20)
  }

  @Test("a user who was removed misses no later messages")
  func putOut() {
    let messages = (0..<30).map { message($0) }
    var audit = audit(messages)
    var trace = trace(Array(messages[..<10]))
    trace.leave()
    #expect(audit.judge(trace).isClean)
  }

  @Test("unacknowledged sends may have been delivered")
  func unanswered() {
    let messages = (0..<10).map { message($0) }
    var audit = audit(messages)
    audit.addUnanswered(1, in: 0)
    #expect(audit.judge(trace(messages + [message(10)])).isClean)
  }

  @Test(
    "deliveries by the throttle's own rule are clean, and any single change is detected",
    arguments: 1...30
  )
  func property(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var time: Int64 = 0
    let messages = (0..<200).map { index -> ConfirmedMessage in
      time += Int64.random(in: 0...400, using: &generator)
      return ConfirmedMessage(
        seq: Int64(index) + 1, createdAt: time, messageID: Int64(index) + 1,
        sender: UInt32.random(in: 0...3, using: &generator), number: UInt32(index))
    }
    var audit = audit(messages, Self.standard)
    for subscriber in [2, 9] as [UInt32] {
      var throttle = Throttle()
      let shown = messages.filter { message in
        let relation: Throttle.Relation = message.sender == subscriber ? .own : .others
        let decision = throttle.decide(
          relation, createdAt: message.createdAt, messageID: message.messageID,
          limit: Self.standard)
        return decision == .shown && relation == .others
      }
      let good = audit.judge(trace(shown, subscriber: subscriber))
      #expect(good.isClean && good.delivered == shown.count, "seed \(seed)")
      var damaged = shown
      damaged.remove(at: Int.random(in: 0..<shown.count, using: &generator))
      #expect(audit.judge(trace(damaged, subscriber: subscriber)).lost == 1, "seed \(seed)")
    }
  }
}
