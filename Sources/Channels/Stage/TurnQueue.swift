import ParleyProtocol

/// The events and answers of a turn of the loop.
///
/// They are sent together: the events in one plan for each shard, which is framed and written once,
/// and then the answers. An answer may contain a position, and a client that has received it must
/// have received all events before it.
struct TurnQueue: Sendable {
  private struct Event: Sendable {
    let payload: [UInt8]
    /// The connection that does not receive the event.
    let author: SessionAddress?
    /// The participants who do not receive the event.
    let excluded: SlotSet
  }

  /// Memory for this many events is kept from turn to turn.
  private static let keptCapacity = 16

  private var events: [Event] = []
  private var answers: [(address: ReplyAddress, outcome: CallOutcome)] = []

  var isEmpty: Bool { events.isEmpty && answers.isEmpty }

  mutating func append(
    _ payload: [UInt8], except author: SessionAddress?, _ excluded: SlotSet = SlotSet()
  ) {
    events.append(Event(payload: payload, author: author, excluded: excluded))
  }

  mutating func append(_ outcome: CallOutcome, to address: ReplyAddress) {
    answers.append((address, outcome))
  }

  /// Sends everything: the events, up to 64 in a plan, for each shard with subscribers, and then
  /// the answers.
  mutating func flush(
    of channelURL: String, to participants: Participants, into actions: inout StageActions
  ) {
    // No slice outlives its plan: the events' memory is kept only if nothing else refers to it.
    for start in stride(from: 0, to: events.count, by: FanOutPlan.capacity) {
      let end = min(start + FanOutPlan.capacity, events.count)
      Self.plan(events[start..<end], of: channelURL, to: participants, into: &actions)
    }
    for (address, outcome) in answers { actions.append(.reply(address, outcome)) }
    events.removeAll(keepingCapacity: events.count <= Self.keptCapacity)
    answers.removeAll(keepingCapacity: answers.count <= Self.keptCapacity)
  }

  private static func plan(
    _ events: ArraySlice<Event>, of channelURL: String, to participants: Participants,
    into actions: inout StageActions
  ) {
    let all = FanOutPlan.Share.all(of: events.count)
    let shares = shares(of: events, all, participants)
    let common = shares.map { mostCommon($0, participants) } ?? all
    let exceptions = exceptions(events, shares, common: common, participants)
    let payloads = events.map(\.payload)
    for (shard, count) in participants.connectionCounts.enumerated() where count > 0 {
      var ofShard: [FanOutPlan.Exception] = []
      for (session, share) in exceptions where Int(session.shard) == shard {
        ofShard.append(FanOutPlan.Exception(connection: session.connection, share: share))
      }
      let plan = FanOutPlan(
        channelURL: channelURL, payloads: payloads, common: common, exceptions: ofShard)
      actions.append(.deliver(plan, shard: shard))
    }
  }

  /// The share of each slot; `nil` if all receive everything.
  private static func shares(
    of events: ArraySlice<Event>, _ all: FanOutPlan.Share, _ participants: Participants
  ) -> [FanOutPlan.Share]? {
    guard events.contains(where: { !$0.excluded.isEmpty }) else { return nil }
    var shares = Array(repeating: all, count: participants.slotCount)
    for (index, event) in events.enumerated() {
      event.excluded.forEach { if $0 < shares.count { shares[$0].remove(index) } }
    }
    return shares
  }

  /// The share that most participants have, if any has the majority (after Boyer and Moore).
  private static func mostCommon(
    _ shares: [FanOutPlan.Share], _ participants: Participants
  ) -> FanOutPlan.Share {
    var candidate = FanOutPlan.Share(bits: 0)
    var lead = 0
    for slot in shares.indices where participants.isTaken(slot) {
      if lead == 0 { candidate = shares[slot] }
      lead += shares[slot] == candidate ? 1 : -1
    }
    return candidate
  }

  /// The connections whose share is not the common one, each once.
  ///
  /// A list, since nearly always it holds only the events' authors.
  private static func exceptions(
    _ events: ArraySlice<Event>, _ shares: [FanOutPlan.Share]?, common: FanOutPlan.Share,
    _ participants: Participants
  ) -> [(session: SessionAddress, share: FanOutPlan.Share)] {
    var exceptions: [(session: SessionAddress, share: FanOutPlan.Share)] = []
    if let shares {
      for slot in shares.indices where shares[slot] != common {
        for connection in participants[slot]?.connections ?? [] {
          exceptions.append((connection, shares[slot]))
        }
      }
    }
    for (index, event) in events.enumerated() {
      guard let author = event.author else { continue }
      if let place = exceptions.firstIndex(where: { $0.session == author }) {
        exceptions[place].share.remove(index)
      } else {
        var share = common
        share.remove(index)
        exceptions.append((author, share))
      }
    }
    return exceptions
  }
}
