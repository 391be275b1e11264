import ParleyProtocol

/// A channel in a `MemoryLog`.
///
/// Users are kept by their ids; what is read shows them as they are then.
struct MemoryChannel: Sendable {
  /// An event that is no arrival of a message.
  private enum Event: Sendable {
    case updated(messageID: Int64, seq: Int64, timestamp: Int64)
    case deleted(messageID: Int64, seq: Int64, timestamp: Int64)
    case recorded(RecordedEvent)

    var seq: Int64 {
      switch self {
      case .updated(_, let seq, _), .deleted(_, let seq, _): seq
      case .recorded(let event): event.seq
      }
    }
  }

  let id: Int64
  let epoch: String
  var term: Int64 = 0
  /// Its operators are left out.
  private(set) var record: Channel
  private(set) var lastSeq: Int64 = 0
  private var lastCreatedAt: Int64 = 0
  private var operatorIDs: [String]
  private var restrictions: [RestrictionKind: [String: Restriction]] = [:]
  private(set) var messages = MemoryMessages()
  /// In the order of `seq`.
  private var events: [Event] = []

  init(id: Int64, record: Channel, epoch: String) {
    self.id = id
    self.epoch = epoch
    operatorIDs = record.operators.map(\.id)
    self.record = record
    self.record.operators = []
  }

  func state(_ users: [String: User]) -> ChannelState {
    var channel = record
    channel.operators = operatorIDs.compactMap { users[$0] }
    return ChannelState(
      id: id, channel: channel, epoch: epoch, term: term, lastSeq: lastSeq,
      lastCreatedAt: lastCreatedAt, bans: restrictions[.ban] ?? [:],
      mutes: restrictions[.mute] ?? [:])
  }
}

/// Messages.
extension MemoryChannel {
  mutating func append(_ message: Message, _ mentionedIDs: [String]) -> Int64 {
    lastSeq += 1
    lastCreatedAt = max(lastCreatedAt, message.createdAt)
    messages.append(message, mentionedIDs, seq: lastSeq)
    return lastSeq
  }

  mutating func replace(_ message: Message, _ mentionedIDs: [String], at time: Int64) -> Int64 {
    messages.replace(message, mentionedIDs)
    lastSeq += 1
    events.append(.updated(messageID: message.id, seq: lastSeq, timestamp: time))
    return lastSeq
  }

  mutating func delete(_ messageID: Int64, at time: Int64) -> Int64 {
    messages.remove(messageID)
    events.removeAll { event in
      if case .updated(messageID, _, _) = event { true } else { false }
    }
    lastSeq += 1
    events.append(.deleted(messageID: messageID, seq: lastSeq, timestamp: time))
    return lastSeq
  }
}

/// The settings of the channel.
extension MemoryChannel {
  /// Makes one change; the caller forgets the channel when it fails.
  mutating func make(
    _ change: ChannelChange, _ users: [String: User], at time: Int64
  ) throws(LogError) -> RecordedChange {
    switch change {
    case .fields(let changes):
      let changed = changes.applied(to: record)
      guard changed != record else { return .unchanged }
      for text in [changed.name, changed.coverURL, changed.data, changed.customType]
      where text.utf8.contains(0) { throw .unstorableText }
      record = changed
      return .made(seq: note(.channelChanged, .channel, at: time))
    case .freeze(let isFrozen):
      guard record.isFrozen != isFrozen else { return .unchanged }
      record.isFrozen = isFrozen
      return .made(seq: note(isFrozen ? .channelFrozen : .channelUnfrozen, .channel, at: time))
    case .restrict(let kind, let restriction):
      return try restrict(kind, restriction, users, at: time)
    case .lift(let kind, let userID):
      guard let user = users[userID] else { throw .noUser(userID) }
      removeEnded(kind, at: time)
      guard restrictions[kind]?.removeValue(forKey: userID) != nil else { return .unchanged }
      return .user(user, seq: note(kind.lifted, .user(user), at: time))
    case .addOperators(let ids):
      for id in ids where users[id] == nil { throw .noUser(id) }
      return changeOperators(users, at: time) { operators in
        for id in ids where !operators.contains(id) { operators.append(id) }
      }
    case .removeOperators(let ids):
      return changeOperators(users, at: time) { $0.removeAll { ids.contains($0) } }
    case .keepOperators(let ids):
      return changeOperators(users, at: time) { $0.removeAll { !ids.contains($0) } }
    }
  }

  private mutating func restrict(
    _ kind: RestrictionKind, _ restriction: Restriction, _ users: [String: User], at time: Int64
  ) throws(LogError) -> RecordedChange {
    guard let user = users[restriction.userID] else { throw .noUser(restriction.userID) }
    guard !restriction.description.utf8.contains(0) else { throw .unstorableText }
    removeEnded(kind, at: restriction.startsAt)
    restrictions[kind, default: [:]][user.id] = restriction
    let details = EventDetails.restriction(
      user, seconds: restriction.seconds, description: restriction.description)
    return .user(user, seq: note(kind.imposed, details, at: time))
  }

  private mutating func removeEnded(_ kind: RestrictionKind, at time: Int64) {
    restrictions[kind] = restrictions[kind]?.filter { $0.value.endsAt > time }
  }

  private mutating func changeOperators(
    _ users: [String: User], at time: Int64, _ change: (inout [String]) -> Void
  ) -> RecordedChange {
    let before = operatorIDs
    change(&operatorIDs)
    guard operatorIDs != before else { return .unchanged }
    let operators = operatorIDs.compactMap { users[$0] }
    return .operators(operators, seq: note(.operatorsChanged, .operators(operators), at: time))
  }

  /// Records an event under the next number.
  private mutating func note(_ kind: EventKind, _ details: EventDetails, at time: Int64) -> Int64 {
    lastSeq += 1
    events.append(
      .recorded(
        RecordedEvent(kind: kind, payload: details.payload, seq: lastSeq, timestamp: time)))
    return lastSeq
  }
}

/// Events.
extension MemoryChannel {
  func missed(
    after seq: Int64, byteLimit: Int64, reach: Int64?, _ users: [String: User]
  ) -> [DurableEvent]? {
    guard seq >= 0, seq <= lastSeq, lastSeq - seq <= EventLog.recoverableCount else { return nil }
    let received = messages.after(seq).map { entry in
      DurableEvent.received(entry.shown(users).message, seq: entry.message.seq)
    }
    let others = events.filter { $0.seq > seq }.compactMap { durable($0, users) }
    let missed = (received + others).sorted { $0.seq < $1.seq }
    guard missed.reduce(0, { $0 + $1.byteCount }) <= byteLimit else { return nil }
    guard let reach else { return missed }
    return updates(upTo: seq, within: reach, users).map { $0 + missed }
  }

  /// The last update of each message up to an event, not older than some time before it.
  private func updates(
    upTo seq: Int64, within reach: Int64, _ users: [String: User]
  ) -> [DurableEvent]? {
    let end = timestamp(upTo: seq)
    var last: [Int64: Event] = [:]
    let old = events.last { $0.seq <= seq && timestamp(of: $0) <= end - reach }?.seq ?? 0
    for event in events where event.seq <= seq && event.seq > old {
      if case .updated(let messageID, _, _) = event { last[messageID] = event }
    }
    guard last.count <= EventLog.recentUpdateCount else { return nil }
    return last.values.sorted { $0.seq < $1.seq }.compactMap { durable($0, users) }
  }

  private func timestamp(upTo seq: Int64) -> Int64 {
    let message = messages.last(upTo: seq)
    let event = events.last { $0.seq <= seq }
    guard let event else { return message?.message.createdAt ?? 0 }
    guard let message, message.seq > event.seq else { return timestamp(of: event) }
    return message.message.createdAt
  }

  private func timestamp(of event: Event) -> Int64 {
    switch event {
    case .updated(_, _, let time), .deleted(_, _, let time): time
    case .recorded(let event): event.timestamp
    }
  }

  private func durable(_ event: Event, _ users: [String: User]) -> DurableEvent? {
    switch event {
    case .updated(let id, let seq, let time):
      messages[id].map { .updated($0.shown(users).message, seq: seq, timestamp: time) }
    case .deleted(let id, let seq, let time): .deleted(messageID: id, seq: seq, timestamp: time)
    case .recorded(let event): .channel(event)
    }
  }
}

extension DurableEvent {
  /// The least number of bytes that it takes.
  fileprivate var byteCount: Int64 {
    switch self {
    case .received(let message, _), .updated(let message, _, _):
      Int64(message.text.utf8.count + message.data.utf8.count)
    case .deleted: 0
    case .channel(let event): Int64(event.payload.utf8.count)
    }
  }
}

extension RestrictionKind {
  /// The event that says that it was put on a user.
  package var imposed: EventKind {
    switch self {
    case .ban: .userBanned
    case .mute: .userMuted
    }
  }

  /// The event that says that it was lifted.
  package var lifted: EventKind {
    switch self {
    case .ban: .userUnbanned
    case .mute: .userUnmuted
    }
  }
}
