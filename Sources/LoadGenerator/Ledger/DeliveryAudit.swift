package import FloodControl

/// Checks, delivery by delivery, whether subscribers were sent what they should have been.
///
/// What should have been follows from the senders' answers (`seq`, `created_at`) and from the rules
/// of the protocol, smart throttling by FloodControl's own ``Throttle``; not from what others were
/// sent.
package struct DeliveryAudit {
  private struct ChannelRecord {
    var messages: [ConfirmedMessage] = []
    var senders: Set<UInt32> = []
    /// Sends without an answer: they may have been accepted.
    var unanswered = 0
  }

  /// The expected deliveries of all subscribers that only listen and entered at the same position.
  private struct Expectation {
    let seen: SeqSet
    let fingerprint: UInt64
    let withheld: Int
  }

  private struct ExpectationKey: Hashable {
    let channel: UInt32
    let after: Int64
    let isOperator: Bool
  }

  private let limit: RateLimit
  private var channels: [UInt32: ChannelRecord] = [:]
  private var expectations: [ExpectationKey: Expectation] = [:]

  /// - Parameter limit: The throttle in force in all channels.
  package init(limit: RateLimit) {
    self.limit = limit
  }

  /// Adds a message that was accepted; in any order, before the first ``judge(_:)``.
  package mutating func accept(_ message: ConfirmedMessage, in channel: UInt32) {
    channels[channel, default: ChannelRecord()].messages.append(message)
    channels[channel]?.senders.insert(message.sender)
  }

  /// Adds sends whose answers never came.
  package mutating func addUnanswered(_ count: Int, in channel: UInt32) {
    channels[channel, default: ChannelRecord()].unanswered += count
  }

  /// Puts the messages in the channels' order, once all are known.
  package mutating func sort() {
    for channel in channels.keys { channels[channel]?.messages.sort { $0.seq < $1.seq } }
  }

  /// Judges what one subscription was sent.
  package mutating func judge(_ trace: SubscriptionTrace) -> AuditVerdict {
    let record = channels[trace.channel] ?? ChannelRecord()
    if let verdict = judgeAtOnce(trace, record) { return verdict }
    var verdict = Self.countedWhileReceiving(trace)
    var judge = SubscriptionJudge(trace: trace, limit: limit)
    for visit in trace.visits { judge.judge(visit, Self.messages(record.messages, of: visit)) }
    verdict += judge.verdict
    let unknown = trace.seen.count - judge.knownCount
    if unknown > 0, record.unanswered == 0 {
      verdict.uncalledFor += unknown
      verdict.note("\(trace.words): \(unknown) messages that no sender was acknowledged for")
    } else if unknown == 0, judge.fingerprint != trace.fingerprint {
      verdict.mistaken += 1
      verdict.note("\(trace.words): a seq carried a different message than was acknowledged")
    }
    return verdict
  }

  /// The quick way, for those who entered once and only listened: nearly all.
  private mutating func judgeAtOnce(
    _ trace: SubscriptionTrace, _ record: ChannelRecord
  ) -> AuditVerdict? {
    guard trace.visits.count == 1, let visit = trace.visits.first, visit.through == nil,
      !record.senders.contains(trace.subscriber)
    else { return nil }
    let expected = expectation(of: trace, visit, record)
    guard trace.seen.isEqual(to: expected.seen), trace.fingerprint == expected.fingerprint else {
      return nil
    }
    var verdict = Self.countedWhileReceiving(trace)
    verdict.expected = expected.seen.count
    verdict.delivered = expected.seen.count
    verdict.withheld = expected.withheld
    return verdict
  }

  private mutating func expectation(
    of trace: SubscriptionTrace, _ visit: SubscriptionTrace.Visit, _ record: ChannelRecord
  ) -> Expectation {
    let key = ExpectationKey(
      channel: trace.channel, after: visit.after, isOperator: trace.isOperator)
    if let known = expectations[key] { return known }
    var (seen, fingerprint, withheld) = (SeqSet(above: visit.after), UInt64(0), 0)
    var throttle = Throttle()
    for message in Self.messages(record.messages, of: visit) {
      let decision = throttle.decide(
        trace.isOperator ? .operatorView : .others, createdAt: message.createdAt,
        messageID: message.messageID, limit: limit)
      guard decision == .shown else {
        withheld += 1
        continue
      }
      if seen.insert(message.seq) == .inserted { fingerprint &+= message.fingerprint }
    }
    let made = Expectation(seen: seen, fingerprint: fingerprint, withheld: withheld)
    expectations[key] = made
    return made
  }

  private static func countedWhileReceiving(_ trace: SubscriptionTrace) -> AuditVerdict {
    var verdict = AuditVerdict()
    verdict.subscriptions = 1
    verdict.doubled = trace.doubled
    verdict.disordered = trace.disordered
    verdict.uncalledFor = trace.early
    if trace.doubled > 0 { verdict.note("\(trace.words): \(trace.doubled) delivered twice") }
    if trace.disordered > 0 { verdict.note("\(trace.words): \(trace.disordered) out of order") }
    if trace.early > 0 { verdict.note("\(trace.words): \(trace.early) sent before it entered") }
    return verdict
  }

  /// The messages of a visit, by their order.
  private static func messages(
    _ messages: [ConfirmedMessage], of visit: SubscriptionTrace.Visit
  ) -> ArraySlice<ConfirmedMessage> {
    let start = firstIndex(in: messages, after: visit.after)
    guard let through = visit.through else { return messages[start...] }
    return messages[start..<max(start, firstIndex(in: messages, after: through))]
  }

  private static func firstIndex(in messages: [ConfirmedMessage], after seq: Int64) -> Int {
    var (low, high) = (0, messages.count)
    while low < high {
      let middle = (low + high) / 2
      if messages[middle].seq <= seq { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension SubscriptionTrace {
  /// Names the subscription in a finding.
  var words: String { "connection \(subscriber), channel \(channel)" }
}
