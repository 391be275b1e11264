internal import FloodControl

/// The deliveries of one channel to one connection.
///
/// Uses one bit for each event of the channel, and a few operations for each delivery.
package struct SubscriptionTrace: Sendable {
  /// A range of the channel's events during which the connection was in the channel.
  struct Visit: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
      /// Entered without recovery: events from then on.
      case entered
      /// Re-entered, with the events missed since the previous visit.
      case recovered
    }

    let kind: Kind
    /// The last `seq` before the visit.
    let after: Int64
    /// The last `seq` of the visit; `nil` while it lasts.
    var through: Int64?
  }

  /// The connection, by its index in the plan; each connection has its own user.
  package let subscriber: UInt32
  /// The channel, by its index in the plan.
  package let channel: UInt32
  /// Whether the user is an operator, who receives everything.
  package let isOperator: Bool
  private(set) var visits: [Visit] = []
  private(set) var seen = SeqSet(above: 0)
  private(set) var doubled = 0
  private(set) var disordered = 0
  /// Deliveries before the connection entered the channel.
  private(set) var early = 0
  private(set) var fingerprint: UInt64 = 0
  /// The last `seq` known to the connection, for recovery.
  package private(set) var position: Int64 = 0

  /// Whether the connection has ever been in the channel.
  package var hasEntered: Bool { !visits.isEmpty }

  /// Enters without earlier events.
  ///
  /// - Parameter seq: The channel's last `seq`, from the response.
  package mutating func enter(at seq: Int64) {
    leave()
    if visits.isEmpty { seen = SeqSet(above: seq) }
    visits.append(Visit(kind: .entered, after: seq))
    position = seq
  }

  /// Re-enters with recovery; the missed events are received next.
  package mutating func enterRecovering() {
    leave()
    visits.append(Visit(kind: .recovered, after: position))
  }

  /// Ends a recovery; the channel's last `seq` is that of the response.
  package mutating func finishRecovery(at seq: Int64) {
    position = max(position, seq)
  }

  /// Leaves the channel; it is unknown which events were sent after the last received one.
  package mutating func leave() {
    guard let last = visits.indices.last, visits[last].through == nil else { return }
    visits[last].through = position
  }

  /// Records a message.
  package mutating func receive(seq: Int64, sender: UInt32, number: UInt32) {
    switch seen.insert(seq) {
    case .inserted:
      fingerprint &+= ConfirmedMessage.fingerprint(seq: seq, sender: sender, number: number)
      advance(to: seq)
    case .presentBefore: doubled += 1
    case .outOfRange: early += 1
    }
  }

  /// Records an update or another event with a `seq`; only its order is checked.
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

/// Compares the messages of one subscription's visits with its deliveries.
struct SubscriptionJudge {
  private enum Expectation {
    case shown
    case withheld
    /// The rules allow both, or the deciding fact cannot be known.
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
    // A returning user starts with an empty window, unless the server had not noticed its absence:
    // if the two windows differ, both results are correct.
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
    // The connection learns of it only from the response; the recovery may also contain it.
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
