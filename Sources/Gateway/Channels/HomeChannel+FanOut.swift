import Channels
import FloodControl
import Reactor
import Telemetry
import Transport

extension HomeChannel {
  /// Hands all events of the turn to the nodes with participants, at most 64 in one plan, and then
  /// the answers to those who asked.
  func fanOut() {
    let pending = events
    events = []
    var rest = pending[...]
    while !rest.isEmpty {
      plan(Array(rest.prefix(FanOutPlan.capacity)))
      rest = rest.dropFirst(FanOutPlan.capacity)
    }
    let answers = replies
    replies = []
    for (outcome, address) in answers { node.reply(to: address, outcome) }
    scheduleNotices()
  }

  private func plan(_ events: [QueuedEvent]) {
    let all = FanOutPlan.Share.all(of: events.count)
    var shares: [FanOutPlan.Share]?
    for (index, event) in events.enumerated() {
      let excluded = slotsNotShown(event.audience)
      guard !excluded.isEmpty else { continue }
      var current = shares ?? Array(repeating: all, count: participants.slotCount)
      shares = nil
      excluded.forEach { if $0 < current.count { current[$0].remove(index) } }
      shares = current
    }
    let common = shares.map(mostCommon) ?? all
    send(events.map(\.payload), common: common, exceptions(events, shares, common: common))
  }

  /// The participants who do not get an event.
  private func slotsNotShown(_ audience: QueuedEvent.Audience) -> SlotSet {
    switch audience {
    case .everyone: SlotSet()
    case .recipients(let messageID): withheld.slots(withheld: messageID)
    case .viewers(let message): decide(message)
    }
  }

  /// Puts a message to every participant's throttle.
  ///
  /// - Returns: Those from whom it is withheld.
  private func decide(_ message: MessageFacts) -> SlotSet {
    let limit = throttleLimit
    guard !limit.isOff, message.authorID != nil else { return SlotSet() }
    let author = message.authorID.flatMap(participants.slot(of:))
    let excluded = participants.decide(message, author: author, limit: limit)
    if !excluded.isEmpty { noteWithheld(message.id, from: excluded) }
    return excluded
  }

  private func noteWithheld(_ messageID: Int64, from slots: SlotSet) {
    withheld.record(messageID, withheldFrom: slots)
    notices.noteWithheld(at: node.loop.now)
    node.counters.add(UInt64(slots.count), to: .withheld)
  }

  /// The share that most participants have, if any has the majority (after Boyer and Moore).
  private func mostCommon(_ shares: [FanOutPlan.Share]) -> FanOutPlan.Share {
    var candidate = FanOutPlan.Share(bits: 0)
    var lead = 0
    for slot in shares.indices where participants.isTaken(slot) {
      if lead == 0 { candidate = shares[slot] }
      lead += shares[slot] == candidate ? 1 : -1
    }
    return candidate
  }

  /// The connections whose share is not the common one.
  private func exceptions(
    _ events: [QueuedEvent], _ shares: [FanOutPlan.Share]?, common: FanOutPlan.Share
  ) -> [SessionAddress: FanOutPlan.Share] {
    var exceptions: [SessionAddress: FanOutPlan.Share] = [:]
    if let shares {
      for slot in shares.indices where shares[slot] != common {
        for connection in participants[slot]?.connections ?? [] {
          exceptions[connection] = shares[slot]
        }
      }
    }
    for (index, event) in events.enumerated() {
      guard let author = event.author else { continue }
      exceptions[author, default: common].remove(index)
    }
    return exceptions
  }

  private func send(
    _ payloads: [[UInt8]], common: FanOutPlan.Share,
    _ exceptions: [SessionAddress: FanOutPlan.Share]
  ) {
    var byNode: [Int: [FanOutPlan.Exception]] = [:]
    for (session, share) in exceptions {
      byNode[Int(session.shard), default: []].append(
        FanOutPlan.Exception(connection: session.connectionID, share: share))
    }
    for target in services.cluster.nodes {
      guard subscriberCounts[target.index] > 0 else { continue }
      let plan = FanOutPlan(
        channelURL: url, payloads: payloads, common: common,
        exceptions: byNode[target.index] ?? [])
      node.post(to: target) { $0.deliver(plan) }
    }
  }
}

extension Node {
  /// Delivers a plan to the connections of this node.
  func deliver(_ plan: FanOutPlan) {
    guard let channel = localChannels[plan.channelURL] else { return }
    let deliveries = channel.apply(plan) { connection in
      sessions[connection]?.subscription(to: plan.channelURL)
    }
    counters.add(UInt64(deliveries), to: .deliveries)
  }
}
