internal import ParleyProtocol

/// The properties that only groups have and that are the same for all users.
struct GroupProperties: Sendable, Hashable {
  /// Joined and invited.
  var memberCount = 0
  var joinedMemberCount = 0
  var isDistinct = false
  var isPublic = false
  var isSuper = false
  var isAccessCodeRequired = false
  /// `nil` for the Platform API and for a deleted user.
  var creator: User?
}

extension GroupProperties {
  init(_ group: Group, isAccessCodeRequired: Bool) {
    self.init(
      memberCount: group.memberCount, joinedMemberCount: group.joinedCount,
      isDistinct: group.isDistinct, isPublic: group.isPublic,
      isSuper: group.isSuper,
      isAccessCodeRequired: isAccessCodeRequired, creator: group.createdBy.map(User.init))
  }
}

/// The membership of the current user in a group.
struct Membership: Sendable, Hashable {
  var state: MemberState
  var role = Role.none
  var mutedState = MutedState.unmuted
  /// `nil` for the Platform API, and for a user who was not invited.
  var inviter: User?
  var invitedAt: Int64 = 0
  var joinedAt: Int64 = 0
  /// The `created_at` of the oldest message that the user may read.
  var visibleFrom: Int64 = 0
  /// The `created_at` of the last message that the user has read; 0 if there is none.
  var readAt: Int64 = 0
  var hiddenState = GroupChannelHiddenState.unhidden
  var countPreference = CountPreference.all
  var pushTrigger = GroupChannelPushTriggerOption.default

  init(_ own: OwnMembership) {
    state = MemberState(own.state)
    role = own.isOperator ? .operator : .none
    mutedState = own.mutedUntil > 0 ? .muted : .unmuted
    inviter = own.inviter.map(User.init)
    invitedAt = own.invitedAt
    joinedAt = own.joinedAt
    visibleFrom = own.visibleFrom
    readAt = own.readAt
    hiddenState = GroupChannelHiddenState(own.hiddenState)
    countPreference = CountPreference(own.countPreference)
    pushTrigger = GroupChannelPushTriggerOption(own.pushTrigger)
  }

  init(invitedBy inviter: User?, at time: Int64) {
    state = .invited
    self.inviter = inviter
    invitedAt = time
  }
}

/// The part of a group that only its members see.
struct GroupView: Sendable {
  /// `nil` for a user who is not a member.
  var my: Membership?
  /// The last message of the group when the server made `my`.
  private var ownOrdinal: Int64 = 0
  /// The number of unread messages, regardless of the user's preference.
  var unread = UnreadCount()
  /// The number of unread messages that mention the user, regardless of its preference.
  private var mentions = UnreadCount()
  /// `nil` if they were not read.
  var members: [Member]?
  /// The other members who are typing, as far as the server names them.
  var typingUserIDs: [String] = []
  /// The calls about the current user's typing.
  var ownTyping = OwnTyping()
  /// The last message that the user may read.
  var lastMessage: (any BaseMessage)?
  /// The newest message that arrived, which may have been deleted; 0 if there is none.
  var receivedMessageID: Int64 = 0
  /// `nil` in an open channel.
  var position: ChannelPosition?
  /// Whether all events after ``position`` reach this client.
  ///
  /// It is false for a group that was read before the latest `group.ready`.
  var isCovered = false
  /// Whether events wait, because those before them are being recovered.
  var holdsEvents = false
  /// Whether messages were withheld, which leaves gaps in the numbers of events.
  private var isThrottled = false
  /// The last event before the end of the latest recovery.
  private var recoveredSeq: Int64 = 0
  /// The calls of this client whose events it does not receive, as far as they explain no gap yet.
  private var ownEventCount: Int64 = 0
}

extension GroupView {
  /// Parses the members of `channel` that events lack.
  init(json: JSONNode, _ reader: MessageReader) throws(ParleyError) {
    if let own = try json.present("my").map(AnswerReader.own) {
      (my, ownOrdinal) = (Membership(own), own.lastOrdinal)
      unread = UnreadCount(
        lastOrdinal: own.lastOrdinal, readOrdinal: own.readOrdinal, count: own.unreadCount)
      mentions = UnreadCount(
        lastOrdinal: own.lastOrdinal, readOrdinal: own.readOrdinal, count: own.unreadMentionCount)
    }
    if json.present("members") != nil {
      members = try AnswerReader.list("members", of: json, Member.init(json:))
    }
    lastMessage = try json.present("last_message").map(reader.message(_:))
    receivedMessageID = lastMessage?.messageID ?? 0
    position = ChannelPosition(
      epoch: try AnswerReader.text("epoch", of: json),
      reached: try AnswerReader.integer("seq", of: json))
  }

  /// Records the number of an event.
  mutating func receive(seq: Int64) {
    if isCovered { position?.reach(seq) } else { position?.note(seq) }
  }

  /// Records a call that caused an event for others only.
  mutating func noteOwnEvent() { ownEventCount += 1 }

  /// Whether events before this one were missed; gaps that the client's own calls have left are closed.
  mutating func hasGap(before event: GroupArrivals.Event) -> Bool {
    if case .messagesThrottled = event.event { isThrottled = true }
    guard let seq = event.seq, isCovered, !isThrottled, let position, position.isNew(seq) else {
      return false
    }
    let missing = seq - position.reached - 1 - Int64(position.ahead.count { $0 < seq })
    guard missing > ownEventCount else {
      ownEventCount -= missing
      return false
    }
    return true
  }

  /// Records that all events up to a number were received, as all later ones will be.
  mutating func cover(upTo seq: Int64) {
    position?.reach(seq)
    recoveredSeq = seq
    isCovered = true
    ownEventCount = 0
  }

  /// Whether an event was delivered with those that were recovered.
  ///
  /// An update may come after later events, and has the newest state.
  func hasRecovered(_ event: GroupArrivals.Event) -> Bool {
    guard let seq = event.seq, seq <= recoveredSeq else { return false }
    return !event.isUpdate
  }

  /// Records a message that was sent or changed.
  mutating func note(_ message: any BaseMessage) {
    receivedMessageID = max(receivedMessageID, message.messageID)
    guard message.messageID >= lastMessage?.messageID ?? 0 else { return }
    lastMessage = message
  }

  /// Keeps the last message that is known from events, if it is newer than that of an answer.
  ///
  /// The server may read the last message before it sends the events that precede the answer.
  private mutating func keepLastMessage(of known: GroupView) {
    guard let my, my.visibleFrom == known.my?.visibleFrom, let message = known.lastMessage else {
      return
    }
    note(message)
  }

  /// Keeps what is known from before an answer, and newer or not part of it.
  mutating func keep(_ known: GroupView) {
    if let members { keepReceipts(of: known.members ?? [], in: members) }
    members = members ?? known.members
    holdsEvents = known.holdsEvents
    (typingUserIDs, ownTyping) = (known.typingUserIDs, known.ownTyping)
    guard position?.epoch == known.position?.epoch, my != nil, known.my != nil else { return }
    recoveredSeq = known.recoveredSeq
    var isOvertaken = unread.lastOrdinal < known.unread.lastOrdinal
    if known.isCovered, let earlier = known.position, earlier.reached > position?.reached ?? 0 {
      position = earlier
      // Deletions do not raise the last ordinal.
      isOvertaken = true
    }
    receivedMessageID = max(receivedMessageID, known.receivedMessageID)
    if isOvertaken {
      (my, ownOrdinal) = (known.my, known.ownOrdinal)
      (unread, mentions) = (known.unread, known.mentions)
    }
    if known.isCovered { keepLastMessage(of: known) }
  }

  /// Keeps the positions that are known from events: an answer may be older.
  private mutating func keepReceipts(of known: [Member], in members: [Member]) {
    let earlier = Dictionary(known.map { ($0.userID, $0) }) { first, _ in first }
    self.members = members.map { member in
      var member = member
      let known = earlier[member.userID]
      if let readAt = member.readAt { member.readAt = max(readAt, known?.readAt ?? 0) }
      if let deliveredAt = member.deliveredAt {
        member.deliveredAt = max(deliveredAt, known?.deliveredAt ?? 0)
      }
      return member
    }
  }

  /// Notes that a member has read up to a time, in Unix milliseconds.
  mutating func read(by userID: String, upTo time: Int64) {
    guard let index = members?.firstIndex(where: { $0.userID == userID }) else { return }
    let known = members?[index].readAt ?? 0
    members?[index].readAt = max(known, time)
    if members?[index].deliveredAt != nil { deliver(to: userID, upTo: time) }
  }

  /// Notes that a client of a member has received messages up to a time, in Unix milliseconds.
  mutating func deliver(to userID: String, upTo time: Int64) {
    guard let index = members?.firstIndex(where: { $0.userID == userID }) else { return }
    let known = members?[index].deliveredAt ?? 0
    members?[index].deliveredAt = max(known, time)
  }

  /// The number of unread messages that the user wants to know.
  var unreadMessageCount: Int {
    switch my?.countPreference {
    case .all, .unreadMessageCountOnly: unread.count
    case .unreadMentionCountOnly, .off, nil: 0
    }
  }

  /// The number of unread messages that mention the user, if it wants to know it.
  var unreadMentionCount: Int {
    switch my?.countPreference {
    case .all, .unreadMentionCountOnly: mentions.count
    case .unreadMessageCountOnly, .off, nil: 0
    }
  }

  /// Counts a message.
  mutating func count(_ message: any BaseMessage, for userID: String?) {
    noteSender(of: message)
    if let senderID = message.sender?.userID, senderID == userID {
      unread.receiveOwn(message.ordinal)
      mentions.receiveOwn(message.ordinal)
      let isLastRead = message.ordinal > 0 && message.ordinal == unread.readOrdinal
      if isLastRead { my?.readAt = message.createdAt }
    } else {
      unread.receive(message.ordinal)
      if message.mentions.includes(userID) {
        mentions.receive(message.ordinal)
      } else {
        mentions.skip(message.ordinal)
      }
    }
  }

  /// Counts a change of the mentions of a message, unless its event is part of an answer that has arrived.
  mutating func recountMention(
    in message: any BaseMessage, from former: MessageMentions?, seq: Int64?, for userID: String?
  ) {
    if let senderID = message.sender?.userID, senderID == userID { return }
    if let seq, position?.isNew(seq) == false { return }
    switch (former.includes(userID), message.mentions.includes(userID)) {
    case (false, true): mentions.add(message.ordinal)
    case (true, false): mentions.remove(message.ordinal)
    case (true, true), (false, false): break
    }
  }

  /// The sender of a new message has read up to it.
  private mutating func noteSender(of message: any BaseMessage) {
    guard message.ordinal > unread.lastOrdinal, let sender = message.sender,
      members?.first(where: { $0.userID == sender.userID })?.readAt != nil
    else { return }
    read(by: sender.userID, upTo: message.createdAt)
  }

  /// Replaces the user's own part, unless a list that overtook an event had a newer one.
  mutating func set(_ own: OwnMembership) {
    guard let known = my, own.lastOrdinal >= ownOrdinal else { return }
    let newer = Membership(own)
    (my, ownOrdinal) = (newer, own.lastOrdinal)
    // Without another position, the server reports a number that does not follow from the messages.
    if newer.visibleFrom == known.visibleFrom, newer.countPreference == known.countPreference,
      own.readOrdinal != unread.readOrdinal
    {
      unread.move(to: own.readOrdinal, count: own.unreadCount, last: own.lastOrdinal)
      mentions.move(to: own.readOrdinal, count: own.unreadMentionCount, last: own.lastOrdinal)
    } else {
      unread.restart(at: own.readOrdinal, count: own.unreadCount, last: own.lastOrdinal)
      mentions.restart(at: own.readOrdinal, count: own.unreadMentionCount, last: own.lastOrdinal)
      if let lastMessage, lastMessage.createdAt < newer.visibleFrom { self.lastMessage = nil }
    }
  }

  /// Removes a deleted message.
  mutating func forget(messageID: Int64) {
    if lastMessage?.messageID == messageID { lastMessage = nil }
  }

  /// Counts a deletion, unless its event is part of an answer that has arrived.
  mutating func uncount(_ deletion: Event.Deletion, seq: Int64?, for userID: String?) {
    guard let ordinal = deletion.ordinal else { return }
    if let senderID = deletion.senderID, senderID == userID { return }
    if let seq, position?.isNew(seq) == false { return }
    unread.remove(ordinal)
    if deletion.mentions.includes(userID) { mentions.remove(ordinal) }
  }

  /// Whether the client must read the group after an event.
  ///
  /// The event of a deletion lacks the message that is now the last one, and does not show whether the
  /// deleted message preceded the user's history. Withheld messages count as unread.
  func mustBeRead(after event: GroupArrivals.Event) -> Bool {
    if case .messagesThrottled = event.event { return true }
    guard case .messageDeleted(let deletion) = event.change else { return false }
    if deletion.messageID == lastMessage?.messageID { return true }
    return my?.visibleFrom ?? 0 > 0 && unread.isUncertain(deletion.ordinal ?? 0)
  }

  /// Adds a member, or replaces its entry.
  mutating func keep(_ member: Member) {
    if let index = members?.firstIndex(where: { $0.userID == member.userID }) {
      members?[index] = member
    } else {
      members?.append(member)
    }
  }

  mutating func join(_ user: User, at time: Int64, isCurrentUser: Bool) {
    var member =
      members?.first { $0.userID == user.userID } ?? Member(invited: user, at: 0)
    member.state = .joined
    member.joinedAt = time
    if members?.contains(where: { $0.readAt != nil }) == true { member.readAt = 0 }
    if members?.contains(where: { $0.deliveredAt != nil }) == true { member.deliveredAt = 0 }
    keep(member)
    guard isCurrentUser else { return }
    var membership = my ?? Membership(invitedBy: nil, at: 0)
    membership.state = .joined
    membership.joinedAt = time
    membership.visibleFrom = time
    my = membership
    unread.restart(at: unread.readOrdinal, count: 0, last: unread.lastOrdinal)
    mentions.restart(at: mentions.readOrdinal, count: 0, last: mentions.lastOrdinal)
  }

  mutating func setRoles(_ operators: [User], for userID: String?) {
    let ids = Set(operators.map(\.userID))
    members = members?.map { member in
      var member = member
      member.role = ids.contains(member.userID) ? .operator : .none
      return member
    }
    if let userID { my?.role = ids.contains(userID) ? .operator : .none }
  }

  mutating func setMuted(_ isMuted: Bool, _ mutedID: String, for userID: String?) {
    let state = isMuted ? MutedState.muted : .unmuted
    if let index = members?.firstIndex(where: { $0.userID == mutedID }) {
      members?[index].mutedState = state
    }
    if mutedID == userID { my?.mutedState = state }
  }
}

extension MessageMentions? {
  fileprivate func includes(_ userID: String?) -> Bool {
    guard let self, let userID else { return false }
    return self.include(userID)
  }
}

extension BaseMessage {
  fileprivate var mentions: MessageMentions? {
    MessageMentions(
      mentionType == .channel ? .channel : .users, mentionedUsers.map(\.userID))
  }
}
