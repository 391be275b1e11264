internal import FloodControl

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
  /// How many of the deliveries belong to messages that are known.
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
