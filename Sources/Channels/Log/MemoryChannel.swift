import ParleyProtocol

/// A channel in a `MemoryLog`.
///
/// Users are stored by id; reads return their current profiles.
struct MemoryChannel: Sendable {
  let id: Int64
  private(set) var epoch: String
  var term: Int64 = 0
  /// The record without its operators.
  private(set) var record: Channel
  private(set) var lastSeq: Int64 = 0
  private var lastOrdinal: Int64 = 0
  private var lastCreatedAt: Int64 = 0
  /// None of an open channel.
  private var members = MemoryLogMembers()
  private var operatorIDs: [String]
  private var restrictions: [RestrictionKind: [String: Restriction]] = [:]
  private(set) var messages = MemoryMessages()
  /// The events other than arrivals of messages, in the order of `seq`.
  private var events: [LoggedEvent] = []

  init(id: Int64, record: Channel, epoch: String) {
    self.id = id
    self.epoch = epoch
    operatorIDs = record.operators.map(\.id).withoutRepetitions()
    self.record = record
    self.record.operators = []
  }

  /// The channel as identified in writes.
  var place: LogChannel { LogChannel(id: id, url: record.url, term: term, lastSeq: lastSeq) }

  /// Continues under another epoch if an event was lost.
  mutating func renew(_ renewal: EpochRenewal) {
    if epoch == renewal.epoch, lastSeq < renewal.seq { epoch = renewal.next }
  }

  func state(_ users: MemoryLogUsers) -> ChannelState {
    var state = ChannelState(
      id: id, channel: channel(users), epoch: epoch, term: term, lastSeq: lastSeq,
      lastCreatedAt: lastCreatedAt, bans: restrictions[.ban] ?? [:],
      mutes: restrictions[.mute] ?? [:])
    state.lastOrdinal = lastOrdinal
    state.members = members.listed(users)
    if let lowest = state.lowestFloor {
      let deleted = messages.uncounted.values.map(\.ordinal).filter { $0 > lowest }
      state.uncounted = OrdinalSet(ascending: deleted.sorted())
    }
    return state
  }

  /// The record with the profiles of its users, and with the numbers of members.
  private func channel(_ users: MemoryLogUsers) -> Channel {
    var channel = record
    channel.operators = operatorIDs.compactMap { users[$0] }
    channel.group?.createdBy = record.group?.createdBy.flatMap { users[$0.id] }
    channel.group?.memberCount = members.count
    channel.group?.joinedCount = members.joinedCount
    channel.group?.blockerIDs = users.blockerIDs(among: members.ids)
    return channel
  }
}

/// Messages.
extension MemoryChannel {
  mutating func append(_ new: UnsequencedMessage, _ mentionedIDs: [String]) -> Int64 {
    lastSeq += 1
    lastCreatedAt = max(lastCreatedAt, new.message.createdAt)
    if new.isCounted {
      lastOrdinal += 1
      if let id = new.readerID { members.advance(id, to: lastOrdinal, at: new.message.createdAt) }
      if let id = new.unmovedAuthorID { members.countOwn(id) }
      if let id = new.blockerID { members.keepHidden(for: id, afterMessage: lastOrdinal) }
    }
    messages.append(
      new, mentionedIDs, seq: lastSeq,
      ordinal: new.isCounted ? lastOrdinal : new.isSilent ? 0 : nil)
    return lastSeq
  }

  mutating func replace(_ message: Message, _ mentionedIDs: [String], at time: Int64) -> Int64 {
    messages.replace(message, mentionedIDs)
    return record(.messageUpdated(EventMessage(message)), at: time)
  }

  mutating func delete(_ messageID: Int64, at time: Int64) -> Int64 {
    var deletion = Event.Deletion(messageID: messageID)
    if let entry = messages[messageID], let ordinal = entry.message.message.ordinal {
      let authorID = entry.message.message.user?.id
      (deletion.ordinal, deletion.senderID) = (ordinal, authorID)
      deletion.arrival = entry.message.seq
      if ordinal > 0 {
        deletion.mentions = MessageMentions(entry.message.message.mentionType, entry.mentionedIDs)
        if messages.uncounted[messageID] == nil { members.forgetOwn(authorID, ordinal) }
      }
    }
    messages.remove(messageID)
    events.removeAll { $0.name == .messageUpdated && $0.messageID == messageID }
    return record(.messageDeleted(deletion), at: time)
  }
}

/// The settings of the channel.
extension MemoryChannel {
  /// Makes one change; the caller discards the channel if the change fails.
  mutating func make(
    _ change: ChannelChange, _ users: MemoryLogUsers, at time: Int64
  ) throws(LogError) -> RecordedChange {
    switch change {
    case .fields(let changes):
      let changed = changes.applied(to: record)
      guard changed != record else { return .unchanged }
      let texts = [changed.name, changed.coverURL, changed.data, changed.customType]
      for text in texts + [changed.group?.accessCode ?? ""] where text.utf8.contains(0) {
        throw .unstorableText
      }
      record = changed
      return .made(seq: record(.channelChanged(info), at: time))
    case .freeze(let isFrozen):
      guard record.isFrozen != isFrozen else { return .unchanged }
      record.isFrozen = isFrozen
      return .made(
        seq: record(isFrozen ? .channelFrozen(info) : .channelUnfrozen(info), at: time))
    case .restrict(let kind, let restriction):
      return try restrict(kind, restriction, users, at: time)
    case .lift(let kind, let userID):
      guard let user = users[userID] else { throw .noUser(userID) }
      removeEnded(kind, at: time)
      guard restrictions[kind]?.removeValue(forKey: userID) != nil else { return .unchanged }
      return .user(user, seq: record(.lifted(kind, from: user), at: time))
    case .addOperators(let ids):
      for id in ids where users[id] == nil { throw .noUser(id) }
      return changeOperators(users, at: time) { operators in
        for id in ids where !operators.contains(id) { operators.append(id) }
      }
    case .removeOperators(let ids):
      return changeOperators(users, at: time) { $0.removeAll { ids.contains($0) } }
    case .keepOperators(let ids):
      return changeOperators(users, at: time) { $0.removeAll { !ids.contains($0) } }
    case .invite(let ids, let inviter, let rules):
      return try invite(ids, by: inviter, under: rules, users, at: time)
    case .join(let userID, let visibleFrom, let rules):
      let history = rules.history(from: visibleFrom, after: lastPlace)
      return try join(userID, history, users, at: time)
    case .depart(let ids, let reason): return depart(ids, reason, users, at: time)
    }
  }

  private mutating func restrict(
    _ kind: RestrictionKind, _ restriction: Restriction, _ users: MemoryLogUsers, at time: Int64
  ) throws(LogError) -> RecordedChange {
    guard let user = users[restriction.userID] else { throw .noUser(restriction.userID) }
    guard !restriction.description.utf8.contains(0) else { throw .unstorableText }
    removeEnded(kind, at: restriction.startsAt)
    restrictions[kind, default: [:]][user.id] = restriction
    return .user(user, seq: record(.imposed(kind, restriction, on: user), at: time))
  }

  private mutating func removeEnded(_ kind: RestrictionKind, at time: Int64) {
    restrictions[kind] = restrictions[kind]?.filter { $0.value.endsAt > time }
  }

  private mutating func changeOperators(
    _ users: MemoryLogUsers, at time: Int64, _ change: (inout [String]) -> Void
  ) -> RecordedChange {
    let before = operatorIDs
    change(&operatorIDs)
    guard operatorIDs != before else { return .unchanged }
    let operators = operatorIDs.compactMap { users[$0] }
    let seq = record(.operatorsChanged(Event.Operators(operators)), at: time)
    return .operators(operators, seq: seq)
  }

  /// Records an event under the next number.
  private mutating func record(_ event: Event, at time: Int64) -> Int64 {
    lastSeq += 1
    if let logged = LoggedEvent(event, seq: lastSeq, timestamp: time) { events.append(logged) }
    return lastSeq
  }

  /// The channel for events, which the log stores without it.
  private var info: ChannelInfo { ChannelInfo(record, participantCount: 0) }
}

/// The members of a group.
extension MemoryChannel {
  /// The members of a distinct group; `nil` for another channel.
  var distinctIDs: Set<String>? { record.group?.isDistinct == true ? members.ids : nil }

  /// Adds the first members of a group that is created.
  mutating func begin(
    with ids: [String], _ users: MemoryLogUsers, under rules: GroupRules
  ) throws(LogError) {
    let (creatorID, time) = (record.group?.createdBy?.id, record.createdAt)
    let creator = creatorID.flatMap { users[$0] }
    if let creatorID {
      guard let creator else { throw .noUser(creatorID) }
      guard !users.deactivatedIDs.contains(creatorID) else { throw .deactivated(creatorID) }
      members.put(Member(user: creator, state: .joined, joinedAt: time))
    }
    let invited = try users.members(
      inviting: ids.filter { $0 != creatorID }, by: creator, under: rules, history: NewHistory(),
      at: time)
    _ = add(invited.sorted { $0.user.id < $1.user.id }, by: creator, users, at: time)
  }

  private mutating func invite(
    _ ids: [String], by inviter: User?, under rules: GroupRules, _ users: MemoryLogUsers,
    at time: Int64
  ) throws(LogError) -> RecordedChange {
    guard record.group != nil else { return .unchanged }
    let new = try users.members(
      inviting: ids.filter { members[$0] == nil }, by: inviter, under: rules,
      history: rules.history(from: max(time, lastCreatedAt), after: lastPlace), at: time)
    guard !new.isEmpty else { return .unchanged }
    record.group?.isDistinct = false
    return .members(add(new, by: inviter, users, at: time))
  }

  /// Adds members, and records that some are invited, then that each of the others joins.
  private mutating func add(
    _ new: [Member], by inviter: User?, _ users: MemoryLogUsers, at time: Int64
  ) -> [RecordedMember] {
    let (memberCount, joinedCount) = (members.count, members.joinedCount)
    let reportsNumbersOnly = reportsNumbersOnly(changingTo: memberCount + new.count)
    for member in new { members.put(member) }
    let new = new.map { $0.shown(users) }
    guard !reportsNumbersOnly else { return new.recordedInvitation(from: nil) }
    let invited = new.filter { $0.state == .invited }
    var shared: Int64 = 0
    if !invited.isEmpty {
      let info = ChannelInfo(channel(users), participantCount: 0)
      shared = record(
        .groupInvited(Event.Invitation(by: inviter, of: invited.map(\.user), to: info)), at: time)
    }
    var joined = 0
    return new.map { member in
      guard member.state == .joined else { return RecordedMember(member, seq: shared) }
      joined += 1
      let membership = Event.Membership(
        of: member.user, memberCount: memberCount + invited.count + joined,
        joinedCount: joinedCount + joined)
      return RecordedMember(member, seq: record(.groupJoined(membership), at: time))
    }
  }

  private mutating func join(
    _ userID: String, _ history: NewHistory, _ users: MemoryLogUsers, at time: Int64
  ) throws(LogError) -> RecordedChange {
    guard let user = users[userID] else { throw .noUser(userID) }
    let present = members[userID]
    guard record.group != nil, present?.state != .joined else { return .unchanged }
    let member = Member(
      user: user, state: .joined, inviterID: present?.inviterID,
      invitedAt: present?.invitedAt ?? 0, joinedAt: time, visibleFrom: history.visibleFrom,
      position: history.position)
    if present == nil { record.group?.isDistinct = false }
    let newCount = members.count + (present == nil ? 1 : 0)
    let reportsNumbersOnly = reportsNumbersOnly(changingTo: newCount)
    members.put(member)
    let shown = member.shown(users)
    guard !reportsNumbersOnly else { return .members([RecordedMember(shown, seq: nil)]) }
    let seq = record(.groupJoined(membership(of: user)), at: time)
    return .members([RecordedMember(shown, seq: seq)])
  }

  private mutating func depart(
    _ ids: [String], _ reason: DepartureReason, _ users: MemoryLogUsers, at time: Int64
  ) -> RecordedChange {
    var records: [RecordedMember] = []
    let leavingCount = ids.withoutRepetitions().count { members[$0] != nil }
    let reportsNumbersOnly = reportsNumbersOnly(changingTo: members.count - leavingCount)
    for id in ids {
      guard let member = members[id]?.shown(users) else { continue }
      members.remove(id)
      guard !reportsNumbersOnly else {
        records.append(RecordedMember(member, seq: nil))
        continue
      }
      let membership = membership(of: member.user)
      let event: Event =
        switch member.state {
        case .joined: .groupLeft(Event.Departure(membership, reason))
        case .invited: .groupDeclined(membership)
        }
      records.append(RecordedMember(member, seq: record(event, at: time)))
    }
    guard !records.isEmpty else { return .unchanged }
    record.group?.isDistinct = false
    return .members(records)
  }

  /// See ``Group/reportsNumbersOnly(changingTo:)``.
  private func reportsNumbersOnly(changingTo newCount: Int) -> Bool {
    var group = record.group
    group?.memberCount = members.count
    return group?.reportsNumbersOnly(changingTo: newCount) ?? false
  }

  private func membership(of user: User) -> Event.Membership {
    Event.Membership(
      of: user, memberCount: members.count, joinedCount: members.joinedCount)
  }

  /// See ``OwnChangeFacts/last``.
  private var lastPlace: MessagePlace {
    MessagePlace(ordinal: lastOrdinal, createdAt: lastCreatedAt)
  }

  /// Changes a joined member's own part.
  mutating func changeOwn(
    _ change: OwnChange, of userID: String, visibleFrom: Int64, _ users: MemoryLogUsers
  ) throws(LogError) -> OwnReading {
    guard let member = members[userID]?.shown(users), member.state == .joined else {
      throw .missing(.member)
    }
    let facts = Facts(messages: messages, last: lastPlace)
    guard let changed = member.applying(change, visibleFrom: visibleFrom, facts) else {
      throw .missing(.message)
    }
    members.put(changed)
    return own(changed, users)
  }

  /// Raises the positions to which clients of joined members have received messages.
  mutating func deliver(_ deliveries: [Delivery]) {
    for delivery in deliveries { members.deliver(delivery) }
  }

  private func own(_ member: Member, _ users: MemoryLogUsers) -> OwnReading {
    let (id, position) = (member.user.id, member.position)
    let blockedIDs = users.blocks.filter { $0.blockerID == id }.map(\.blockedID)
    return OwnReading(
      member.shown(users), inviter: member.inviterID.flatMap { users[$0] }, floorOrdinal: 0,
      mentionCount: member.state == .invited
        ? 0
        : messages.mentionCount(
          of: id, after: max(position.ordinal, position.floor), exceptBy: Set(blockedIDs)))
  }

  private struct Facts: OwnChangeFacts {
    let messages: MemoryMessages
    let last: MessagePlace

    func place(ofMessage id: Int64) -> MessagePlace? { messages.place(of: id) }

    func place(atTime time: Int64) -> MessagePlace? { messages.place(at: time) }

    func count(ofMessagesBy userID: String, from createdAt: Int64, after ordinal: Int64) -> Int64 {
      messages.count(by: userID, after: ordinal)
    }
  }

  /// The group as a member sees it.
  func reading(
    since: Int64, by readerID: String?, memberLimit: Int, _ users: MemoryLogUsers
  ) -> GroupReading {
    GroupReading(
      lastMessage: messages.newest(since: since)?.shown(users.profiles).message,
      members: members.sample(memberLimit, operatorIDs: operatorIDs, users),
      own: readerID.flatMap { members[$0] }.map { own($0, users) }, lastOrdinal: lastOrdinal,
      lastSeq: lastSeq)
  }

  func joinedBlockers(of userID: String, _ users: MemoryLogUsers) -> [String] {
    members.ids.filter { id in
      members[id]?.state == .joined && users.blocks.contains(Block(by: id, of: userID))
    }.sorted()
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

  /// The last update of each message up to an event, within some time before it.
  private func updates(
    upTo seq: Int64, within reach: Int64, _ users: [String: User]
  ) -> [DurableEvent]? {
    let end = timestamp(upTo: seq)
    var last: [Int64: LoggedEvent] = [:]
    let old = events.last { $0.seq <= seq && $0.timestamp <= end - reach }?.seq ?? 0
    for event in events where event.seq <= seq && event.seq > old {
      if event.name == .messageUpdated, let id = event.messageID { last[id] = event }
    }
    guard last.count <= EventLog.recentUpdateCount else { return nil }
    return last.values.sorted { $0.seq < $1.seq }.compactMap { durable($0, users) }
  }

  private func timestamp(upTo seq: Int64) -> Int64 {
    let message = messages.last(upTo: seq)
    let event = events.last { $0.seq <= seq }
    guard let event else { return message?.message.createdAt ?? 0 }
    guard let message, message.seq > event.seq else { return event.timestamp }
    return message.message.createdAt
  }

  private func durable(_ event: LoggedEvent, _ users: [String: User]) -> DurableEvent? {
    DurableEvent(event) { messages[$0]?.shown(users).message }
  }
}

extension DurableEvent {
  /// A lower bound of the size in bytes.
  fileprivate var byteCount: Int64 {
    switch self {
    case .received(let message, _), .updated(let message, _, _):
      Int64(message.text.utf8.count + message.data.utf8.count)
    case .deleted: 0
    case .channel(let event): Int64(event.payload?.utf8.count ?? 0)
    }
  }
}
