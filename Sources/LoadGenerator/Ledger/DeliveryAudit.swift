package import FloodControl

/// Checks, delivery by delivery, whether subscribers received what they should have received.
///
/// The expected deliveries follow from the responses to senders (`seq`, `created_at`) and from the
/// rules of the protocol, with FloodControl's own ``Throttle`` for smart throttling; not from the
/// deliveries to others.
package struct DeliveryAudit {
  private struct ChannelRecord {
    var messages: [ConfirmedMessage] = []
    var senders: Set<UInt32> = []
    /// Sends without a response: they may have been accepted.
    var unanswered = 0
  }

  /// The expected deliveries of all subscribers that only listen and that entered at the same position.
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

  /// - Parameter limit: The throttle limit in all channels.
  package init(limit: RateLimit) {
    self.limit = limit
  }

  /// Adds an accepted message; in any order, before the first ``judge(_:)``.
  package mutating func accept(_ message: ConfirmedMessage, in channel: UInt32) {
    channels[channel, default: ChannelRecord()].messages.append(message)
    channels[channel]?.senders.insert(message.sender)
  }

  /// Adds sends without a response.
  package mutating func addUnanswered(_ count: Int, in channel: UInt32) {
    channels[channel, default: ChannelRecord()].unanswered += count
  }

  /// Sorts the messages of all channels, once all are known.
  package mutating func sort() {
    for channel in channels.keys { channels[channel]?.messages.sort { $0.seq < $1.seq } }
  }

  /// Checks the deliveries to one subscription.
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

  /// The fast path for subscriptions that entered once and only listened: nearly all.
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

  /// Returns the messages of a visit, in order.
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
  /// The name of the subscription in a finding.
  var words: String { "connection \(subscriber), channel \(channel)" }
}

/// The verdict of an audit: whether each expected delivery happened once, in order, and no other.
package struct AuditVerdict: Sendable, Hashable {
  /// Deliveries required by the rules.
  package var expected = 0
  /// Required deliveries that arrived.
  package var delivered = 0
  /// Required deliveries that did not arrive.
  package var lost = 0
  /// Repeated deliveries.
  package var doubled = 0
  /// Deliveries that arrived after a later one.
  package var disordered = 0
  /// Deliveries that should have been withheld, of messages never sent, or before entering.
  package var uncalledFor = 0
  /// Subscriptions in which a `seq` carried another message than the one it was assigned to.
  package var mistaken = 0
  /// Messages correctly withheld by smart throttling.
  package var withheld = 0
  /// Checked subscriptions.
  package var subscriptions = 0
  /// The first findings as text.
  package var examples: [String] = []

  private static let exampleLimit = 10

  package init() {}

  /// Whether all deliveries were correct.
  package var isClean: Bool {
    lost == 0 && doubled == 0 && disordered == 0 && uncalledFor == 0 && mistaken == 0
  }

  package static func += (sum: inout AuditVerdict, other: AuditVerdict) {
    sum.expected += other.expected
    sum.delivered += other.delivered
    sum.lost += other.lost
    sum.doubled += other.doubled
    sum.disordered += other.disordered
    sum.uncalledFor += other.uncalledFor
    sum.mistaken += other.mistaken
    sum.withheld += other.withheld
    sum.subscriptions += other.subscriptions
    for example in other.examples { sum.note(example) }
  }

  mutating func note(_ example: @autoclosure () -> String) {
    if examples.count < Self.exampleLimit { examples.append(example()) }
  }
}

/// A message accepted by the server, as confirmed to the sender.
package struct ConfirmedMessage: Sendable, Hashable {
  package let seq: Int64
  /// In Unix milliseconds.
  package let createdAt: Int64
  package let messageID: Int64
  /// The sending connection, by its index in the plan; each connection has its own user.
  package let sender: UInt32
  /// The number of the message on that connection.
  package let number: UInt32

  var fingerprint: UInt64 { Self.fingerprint(seq: seq, sender: sender, number: number) }

  /// Hashes a message with its position; sums of the hashes show whether all positions are right.
  static func fingerprint(seq: Int64, sender: UInt32, number: UInt32) -> UInt64 {
    let message = UInt64(sender) << 32 | UInt64(number)
    let place = UInt64(bitPattern: seq) &* 0x9E37_79B9_7F4A_7C15
    let mixed = (place ^ message) &* 0xBF58_476D_1CE4_E5B9
    return mixed ^ (mixed >> 31)
  }
}
