package import ParleyProtocol

/// A write that is carried out completely or not at all.
package enum LogEntry: Sendable, Hashable {
  /// Creates a channel; its operators must be users, and only their ids are used.
  ///
  /// A group's creator is a joined member. A distinct group of the same members may be there already.
  ///
  /// - `inviting`: The other members of a group, sorted; their events are the channel's first ones, as
  ///   those of ``ChannelChange/invite(_:by:)``, so that `lastSeq` of the outcome counts them.
  ///
  /// Outcome: `channel`, or `found` for a distinct group. Errors: `exists`, `noUser`, `deactivated`,
  /// `tooManyGroups`, `tooManyInvitations` for a distinct group.
  indirect case create(
    Channel, epoch: String, inviting: [String] = [], under: GroupRules = GroupRules())
  /// Makes the submitter the only writer of a channel by raising its term. Gives the channel
  /// another epoch if the log has lost an event that the submitter knows.
  ///
  /// Outcome: `channel`, or `absent`.
  case takeOver(url: String, renewal: EpochRenewal? = nil)
  /// Changes a channel or what is in it. Errors of all operations: `missing(.channel)`, `fenced`.
  case write(LogOperation, LogChannel)
}

/// A channel as its judge knows it.
package struct LogChannel: Sendable, Hashable {
  /// The log's own number of the channel; never reused after its deletion.
  package var id: Int64
  package var url: String
  /// The term under which the judge took the channel over or loaded it.
  package var term: Int64
  /// The last event that the judge knows to be recorded.
  package var lastSeq: Int64

  package init(id: Int64, url: String, term: Int64, lastSeq: Int64 = 0) {
    self.id = id
    self.url = url
    self.term = term
    self.lastSeq = lastSeq
  }
}

/// An acknowledged event of a channel, and the new epoch in case the log has lost the event.
package struct EpochRenewal: Sendable, Hashable {
  package var epoch: String
  package var seq: Int64
  package var next: String

  package init(epoch: String, seq: Int64, next: String) {
    self.epoch = epoch
    self.seq = seq
    self.next = next
  }
}

/// A change of one channel, or a read among its changes.
package indirect enum LogOperation: Sendable, Hashable {
  /// Appends a message under the next `seq`, and in a group under the next ordinal.
  ///
  /// Outcome: `appended`, `repeated` or `withdrawn`.
  case append(UnsequencedMessage)
  /// Stores only the file of a message, for an ephemeral channel.
  ///
  /// Outcome: `relayed`.
  case relay(UnsequencedMessage)
  /// Writes the changeable parts of a message (text, data, custom type, mentions, extra data,
  /// preview, translations, `updated_at`) and records `message.updated`.
  ///
  /// - `mentionedUserIDs`: The new list of mentioned users; `nil` keeps the present one, and the type of
  ///   the mention.
  ///
  /// Outcome: `replaced`. Error: `missing(.message)`.
  case replace(Message, mentionedUserIDs: [String]?, at: Int64)
  /// Removes a message with its file and the records of its changes, and records `message.deleted`.
  ///
  /// Outcome: `deleted`. Error: `missing(.message)`.
  case delete(messageID: Int64, at: Int64)
  /// Makes changes in order; each that makes a difference records one event. If one fails none is
  /// made.
  ///
  /// Outcome: `changed`. Errors: `noUser`, `deactivated`, `tooManyGroups`.
  case change([ChannelChange], at: Int64)
  /// Changes a joined member's own part in a group. Records no event.
  ///
  /// - `visibleFrom`: ``Member/visibleFrom`` if the history begins again.
  ///
  /// Outcome: `own`. Errors: `missing(.member)`, and `missing(.message)` for a message that the group never
  /// had, or that is not in the member's history.
  case changeOwn(OwnChange, userID: String, visibleFrom: Int64)
  /// Raises the positions of joined members to which their clients have received messages; the others stay
  /// as they are. Records no event.
  ///
  /// Outcome: `stored`.
  case deliver([Delivery])
  /// Removes the channel with all its contents.
  ///
  /// Outcome: `removed`.
  case remove(at: Int64)
  /// Reads at this place among the entries.
  ///
  /// Outcome: `read`.
  case read(LogRead)
}

/// A message that a client of a member has received, with all before it.
package struct Delivery: Sendable, Hashable {
  package var userID: String
  /// The `created_at` of the message, in Unix milliseconds.
  package var deliveredAt: Int64

  package init(to userID: String, at deliveredAt: Int64) {
    self.userID = userID
    self.deliveredAt = deliveredAt
  }
}

/// A change of a channel's settings.
package enum ChannelChange: Sendable, Hashable {
  /// Records `channel.changed` if a field differs.
  case fields(ChannelChanges)
  /// Records `channel.frozen` or `channel.unfrozen` unless the channel is already in this state.
  case freeze(Bool)
  /// Records `channel.user_banned` or `channel.user_muted`; replaces an existing restriction. The
  /// user must exist.
  case restrict(RestrictionKind, Restriction)
  /// Records `channel.user_unbanned` or `channel.user_unmuted` if one was in force. The user must exist.
  case lift(RestrictionKind, userID: String)
  /// Records `channel.operators_changed` if any was not an operator. All must be users.
  case addOperators([String])
  /// Records `channel.operators_changed` if any was an operator.
  case removeOperators([String])
  /// Removes all operators but these; records `channel.operators_changed` if any was removed.
  case keepOperators([String])
  /// Makes users members of a group. A user joins at once unless it accepts invitations itself, has joined as
  /// many groups as it may, or blocks the inviter; a user with as many invitations as it may have is left
  /// out. Records `group.invited` with all who are invited, then `group.joined` for each who joins. All must
  /// be active users and no members.
  ///
  /// - `by`: The inviter; `nil` for the Platform API.
  indirect case invite([String], by: User?, under: GroupRules = GroupRules())
  /// Makes a user a joined member; records `group.joined` unless it is one. The user must exist.
  ///
  /// - `visibleFrom`: ``Member/visibleFrom`` of a history that begins now.
  indirect case join(userID: String, visibleFrom: Int64, under: GroupRules = GroupRules())
  /// Removes members; records `group.left` for each who had joined, and `group.declined` for each who
  /// was invited.
  case depart([String], DepartureReason)
}

/// Fields of a channel to change; `nil` keeps a field as it is.
package struct ChannelChanges: Sendable, Hashable {
  package var name: String?
  package var coverURL: String?
  package var data: String?
  package var customType: String?
  /// Of groups only, as the next one.
  package var isPublic: Bool?
  package var accessCode: String?

  package init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil,
    isPublic: Bool? = nil, accessCode: String? = nil
  ) {
    self.isPublic = isPublic
    self.accessCode = accessCode
    self.name = name
    self.coverURL = coverURL
    self.data = data
    self.customType = customType
  }

  /// The channel with the changes made.
  package func applied(to channel: Channel) -> Channel {
    var channel = channel
    if let name { channel.name = name }
    if let coverURL { channel.coverURL = coverURL }
    if let data { channel.data = data }
    if let customType { channel.customType = customType }
    if let isPublic { channel.group?.isPublic = isPublic }
    if let accessCode { channel.group?.accessCode = accessCode }
    return channel
  }
}

/// A message without a place in its channel's count.
package struct UnsequencedMessage: Sendable, Hashable {
  /// The role of a message in flood windows and webhooks.
  package enum Role: Sendable {
    /// The message took a place in its user's flood window.
    case counted
    /// The message took no place.
    case exempt
    /// The message took no place, and is not posted to the webhooks: it was imported.
    case imported
  }

  /// The message without its mentioned users.
  ///
  /// Its id is larger than any earlier one in the deployment, and its `createdAt` is not smaller
  /// than any earlier one in the channel.
  package var message: Message
  /// In display order; ids that belong to no user are dropped.
  package var mentionedUserIDs: [String]
  /// The file itself, if it was uploaded and must be deleted with the message.
  package var upload: FileRecord?
  package var role: Role
  /// Whether the message's request may have been carried out before, as far as the judge knows.
  package var mayBeRepeated: Bool
  /// Whether the message takes the next ordinal of its group; its own ``Message/ordinal`` is not set.
  package var isCounted: Bool
  /// Whether the message is one of a group and takes no ordinal: its ordinal is 0.
  package var isSilent: Bool
  /// Whether the author has read the group up to the message.
  package var marksAsRead: Bool
  /// The other member of a group of two, who blocks the author.
  ///
  /// The message has its ordinal, as any other, but is unread for neither member, and does not end the
  /// hiding of the group by the blocker.
  package var blockerID: String?
  /// How the message is pushed to absent users; `nil` for one that is not.
  package var pushes: PushIntent?

  package init(
    _ message: Message, mentionedUserIDs: [String] = [], upload: FileRecord? = nil,
    role: Role = .counted, mayBeRepeated: Bool = false, isCounted: Bool = false,
    isSilent: Bool = false, marksAsRead: Bool = true, blockerID: String? = nil,
    pushes: PushIntent? = nil
  ) {
    self.pushes = pushes
    self.blockerID = blockerID
    self.isSilent = isSilent
    self.marksAsRead = marksAsRead
    self.isCounted = isCounted
    self.message = message
    self.mentionedUserIDs = mentionedUserIDs
    self.upload = upload
    self.role = role
    self.mayBeRepeated = mayBeRepeated
  }

  /// The user whose position in the group the message moves: its author, except for an imported message.
  package var readerID: String? {
    isCounted && marksAsRead && role != .imported ? message.user?.id : nil
  }

  /// The author whose position the message does not move, although it is not unread for its author.
  ///
  /// `nil` also for a message that is unread for no member.
  package var unmovedAuthorID: String? {
    isCounted && readerID == nil && blockerID == nil ? message.user?.id : nil
  }

  /// Whether the message took no place in its user's flood window.
  package var isFloodExempt: Bool { role != .counted }
}

/// A message with its place in the channel's count.
package struct SequencedMessage: Sendable, Hashable {
  package var message: Message
  /// Of the message's arrival, or of the change that was just recorded.
  package var seq: Int64

  package init(message: Message, seq: Int64) {
    self.message = message
    self.seq = seq
  }
}
