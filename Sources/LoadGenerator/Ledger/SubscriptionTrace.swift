internal import FloodControl

/// The deliveries of one channel to one connection.
///
/// Costs one bit for each event of the channel, and a few steps for each delivery.
package struct SubscriptionTrace: Sendable {
  /// A stretch of the channel's events that the connection was in the channel for.
  struct Visit: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// Entered afresh: from then on.
      case entered
      /// Entered again, with what was missed since the visit before.
      case recovered
    }

    let kind: Kind
    /// The last `seq` that does not belong to it.
    let after: Int64
    /// The last `seq` that belongs to it; `nil` while it lasts.
    var through: Int64?
  }

  /// The connection, by its place in the plan; each is a user of its own.
  package let subscriber: UInt32
  /// The channel, by its place in the plan.
  package let channel: UInt32
  /// Whether the user is an operator, who is shown everything.
  package let isOperator: Bool
  private(set) var visits: [Visit] = []
  private(set) var seen = SeqSet(above: 0)
  private(set) var doubled = 0
  private(set) var disordered = 0
  /// Deliveries before the connection was in the channel.
  private(set) var early = 0
  private(set) var fingerprint: UInt64 = 0
  /// The last `seq` that the connection knows of, for recovering from.
  package private(set) var position: Int64 = 0

  package init(subscriber: UInt32, channel: UInt32, isOperator: Bool) {
    self.subscriber = subscriber
    self.channel = channel
    self.isOperator = isOperator
  }

  /// Whether the connection has been in the channel.
  package var hasEntered: Bool { !visits.isEmpty }

  /// Enters without what happened before.
  ///
  /// - Parameter seq: The channel's last `seq`, as the answer gives it.
  package mutating func enter(at seq: Int64) {
    leave()
    if visits.isEmpty { seen = SeqSet(above: seq) }
    visits.append(Visit(kind: .entered, after: seq))
    position = seq
  }

  /// Enters again and is given what it missed; those events are received next.
  package mutating func enterRecovering() {
    leave()
    visits.append(Visit(kind: .recovered, after: position))
  }

  /// All that was missed has been received; the channel's last `seq` is that of the answer.
  package mutating func finishRecovery(at seq: Int64) {
    position = max(position, seq)
  }

  /// The connection is no longer in the channel; nothing is known of what was sent after the last
  /// that came.
  package mutating func leave() {
    guard let last = visits.indices.last, visits[last].through == nil else { return }
    visits[last].through = position
  }

  /// A message came.
  package mutating func receive(seq: Int64, sender: UInt32, number: UInt32) {
    switch seen.insert(seq) {
    case .inserted:
      fingerprint &+= ConfirmedMessage.fingerprint(seq: seq, sender: sender, number: number)
      advance(to: seq)
    case .presentBefore: doubled += 1
    case .outOfRange: early += 1
    }
  }

  /// An update came, or another event with a `seq`; only its order is checked.
  package mutating func receiveOther(seq: Int64) {
    guard seq != position else {
      doubled += 1
      return
    }
    advance(to: seq)
  }

  private mutating func advance(to seq: Int64) {
    if seq <= position { disordered += 1 }
    position = max(position, seq)
  }
}

/// Goes through the messages of one subscription's visits and compares.
struct SubscriptionJudge {
  private enum Expectation {
    case shown
    case withheld
    /// The rules leave it open, or what decides it can't be known.
    case either
  }

  private let trace: SubscriptionTrace
  private let limit: RateLimit
  private var throttle = Throttle()
  private(set) var verdict = AuditVerdict()
  /// The number of deliveries of known messages.
  private(set) var knownCount = 0
  /// The expected sums.
  private(set) var fingerprint: UInt64 = 0

  init(trace: SubscriptionTrace, limit: RateLimit) {
    self.trace = trace
    self.limit = limit
  }

  mutating func judge(
    _ visit: SubscriptionTrace.Visit, _ messages: ArraySlice<ConfirmedMessage>
  ) {
    // A user that comes back begins with an empty window, unless the server had not yet noticed
    // that it was gone: where the two windows differ, both are right.
    var fresh = Throttle()
    for message in messages {
      let expectation =
        message.sender == trace.subscriber
        ? own(message, &fresh, in: visit) : others(message, &fresh, in: visit)
      compare(message, expectation)
    }
    if visit.kind == .entered { throttle = fresh }
  }

  private mutating func own(
    _ message: ConfirmedMessage, _ fresh: inout Throttle, in visit: SubscriptionTrace.Visit
  ) -> Expectation {
    _ = decide(message, .own, &fresh)
    _ = decide(message, .own, &throttle)
    // The connection learns of it by the answer alone; what it recovers may hold it as well.
    return visit.kind == .recovered ? .either : .withheld
  }

  private mutating func others(
    _ message: ConfirmedMessage, _ fresh: inout Throttle, in visit: SubscriptionTrace.Visit
  ) -> Expectation {
    let relation = trace.isOperator ? Throttle.Relation.operatorView : .others
    let decision = decide(message, relation, &fresh)
    let carried = decide(message, relation, &throttle)
    if visit.kind == .recovered, decision != carried { return .either }
    return decision == .shown ? .shown : .withheld
  }

  private func decide(
    _ message: ConfirmedMessage, _ relation: Throttle.Relation, _ throttle: inout Throttle
  ) -> Throttle.Decision {
    throttle.decide(
      relation, createdAt: message.createdAt, messageID: message.messageID, limit: limit)
  }

  private mutating func compare(_ message: ConfirmedMessage, _ expectation: Expectation) {
    let isSeen = trace.seen.contains(message.seq)
    if isSeen {
      knownCount += 1
      fingerprint &+= message.fingerprint
    }
    switch (expectation, isSeen) {
    case (.shown, true):
      verdict.expected += 1
      verdict.delivered += 1
    case (.shown, false):
      verdict.expected += 1
      verdict.lost += 1
      verdict.note("\(trace.words): seq \(message.seq) was not delivered")
    case (.withheld, true):
      verdict.uncalledFor += 1
      verdict.note("\(trace.words): seq \(message.seq) was delivered but should have been withheld")
    case (.withheld, false): if message.sender != trace.subscriber { verdict.withheld += 1 }
    case (.either, _): break
    }
  }
}
