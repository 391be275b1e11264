package import ParleyProtocol

/// One thing to be written, as a whole or not at all.
package enum LogEntry: Sendable, Hashable {
  /// Makes a channel; its operators must be users, and only their ids count.
  ///
  /// Outcome: `channel`. Errors: `exists`, `noUser`.
  indirect case create(Channel, epoch: String)
  /// Makes the submitter the only writer of a channel: raises its term. Gives the channel another
  /// epoch if the log has lost an event that the submitter knows.
  ///
  /// Outcome: `channel`, or `absent`.
  case takeOver(url: String, renewal: EpochRenewal? = nil)
  /// Changes a channel or what is in it. Errors of all operations: `missing(.channel)`, `fenced`.
  case write(LogOperation, LogChannel)
}

/// A channel as its judge knows it.
package struct LogChannel: Sendable, Hashable {
  /// The log's own number of the channel; never used again after its deletion.
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

/// An event of a channel that was acknowledged, and the epoch that follows if the log has lost it.
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
  /// Appends a message under the next `seq`.
  ///
  /// Outcome: `appended`, `repeated` or `withdrawn`.
  case append(UnsequencedMessage)
  /// Keeps nothing of a message but its file, for an ephemeral channel.
  ///
  /// Outcome: `relayed`.
  case relay(UnsequencedMessage)
  /// Writes what can change of a message (text, data, custom type, mentions, extra data, preview,
  /// translations, `updated_at`) and records `message.updated`.
  ///
  /// - `mentionedUserIDs`: Those to be mentioned from now on; `nil` leaves them.
  ///
  /// Outcome: `replaced`. Error: `missing(.message)`.
  case replace(Message, mentionedUserIDs: [String]?, at: Int64)
  /// Removes a message with its file and what was recorded of its changes, and records
  /// `message.deleted`.
  ///
  /// Outcome: `deleted`. Error: `missing(.message)`.
  case delete(messageID: Int64, at: Int64)
  /// Makes changes in their order; each that makes a difference records one event. When one fails
  /// none is made.
  ///
  /// Outcome: `changed`. Error: `noUser`.
  case change([ChannelChange], at: Int64)
  /// Removes the channel with everything in it.
  ///
  /// Outcome: `removed`.
  case remove(at: Int64)
  /// Reads at this place among the entries.
  ///
  /// Outcome: `read`.
  case read(LogRead)
}

/// A change of what is set for a channel.
package enum ChannelChange: Sendable, Hashable {
  /// Records `channel.changed` if a field differs.
  case fields(ChannelChanges)
  /// Records `channel.frozen` or `channel.unfrozen` unless it was so.
  case freeze(Bool)
  /// Records `channel.user_banned` or `channel.user_muted`; replaces what held before. The user must
  /// exist.
  case restrict(RestrictionKind, Restriction)
  /// Records `channel.user_unbanned` or `channel.user_unmuted` if one held. The user must exist.
  case lift(RestrictionKind, userID: String)
  /// Records `channel.operators_changed` if any was not one. All must be users.
  case addOperators([String])
  /// Records `channel.operators_changed` if any was one.
  case removeOperators([String])
  /// Removes all operators but these; records `channel.operators_changed` if any was removed.
  case keepOperators([String])
}

/// Fields of a channel to be changed; `nil` leaves a field as it is.
package struct ChannelChanges: Sendable, Hashable {
  package var name: String?
  package var coverURL: String?
  package var data: String?
  package var customType: String?

  package init(
    name: String? = nil, coverURL: String? = nil, data: String? = nil, customType: String? = nil
  ) {
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
    return channel
  }
}

/// A message that has no place in its channel's count.
package struct UnsequencedMessage: Sendable, Hashable {
  /// The part of a message in what is counted and posted.
  package enum Role: Sendable {
    /// It took a place in the flood window of its user.
    case counted
    /// It took none.
    case exempt
    /// It took none, and is not posted to the webhooks: it is of the past.
    case imported
  }

  /// The message, its mentioned users left out.
  ///
  /// Its id is larger than any before in the deployment, and its `createdAt` not smaller than any
  /// before in the channel.
  package var message: Message
  /// In the order to show them; those that are no users are dropped.
  package var mentionedUserIDs: [String]
  /// The file itself, when it was uploaded and is to go when the message goes.
  package var upload: FileRecord?
  package var role: Role
  /// Whether the request that made it may have been carried out before, as far as the judge knows.
  package var mayBeRepeated: Bool

  package init(
    _ message: Message, mentionedUserIDs: [String] = [], upload: FileRecord? = nil,
    role: Role = .counted, mayBeRepeated: Bool = false
  ) {
    self.message = message
    self.mentionedUserIDs = mentionedUserIDs
    self.upload = upload
    self.role = role
    self.mayBeRepeated = mayBeRepeated
  }

  /// Whether it took no place in the flood window of its user.
  package var isFloodExempt: Bool { role != .counted }
}

/// A message with its place in the channel's count.
package struct SequencedMessage: Sendable, Hashable {
  package var message: Message
  /// Of its arrival, or of the change that was just recorded.
  package var seq: Int64

  package init(message: Message, seq: Int64) {
    self.message = message
    self.seq = seq
  }
}
