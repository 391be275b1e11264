package import ParleyProtocol

/// A read from a log, answered from a few rows that are found by their keys.
package enum LogRead: Sendable, Hashable {
  /// The channel with all its settings. Answer: `channel`.
  case channel(url: String)
  /// The newest messages of users after a time, oldest first. Answer: `sends`.
  ///
  /// - `limit`: The maximum number of messages.
  case sends(channelID: Int64, after: Int64, limit: Int)
  /// A message as it is now. Answer: `message`.
  case message(Int64, channelID: Int64)
  /// The place of a message of a group that exists or was deleted. Answer: `messagePlace`.
  case messagePlace(Int64, channelID: Int64)
  /// The message that a request made, by a user or, for admin messages, by the Platform API.
  /// Answer: `message` or `withdrawn`.
  ///
  /// - `since`: Unix milliseconds; only messages after it count.
  case request(String, userID: String?, channelID: Int64, since: Int64)
  /// The message that a request imported with a time, by a user or by the Platform API (admin messages).
  /// Answer: `message`.
  ///
  /// Only the last 1,000 messages of the millisecond are checked.
  case imported(String, userID: String?, channelID: Int64, createdAt: Int64)
  /// The events after a number, except messages that were deleted since, and the last updates
  /// before it. Answer: `missed`.
  ///
  /// - `byteLimit`: The maximum size of the missed events.
  /// - `updatesWithin`: Milliseconds before the event with that number. Updates from this time on
  ///   are read too, only the last of each message; `nil` for none.
  case missed(channelID: Int64, after: Int64, byteLimit: Int64, updatesWithin: Int64?)
  /// The given users that exist, each once, in the given order. Answer: `users`.
  case users([String])
  /// A group as a member sees it. Answer: `group`.
  ///
  /// - `since`: See ``Member/visibleFrom``.
  /// - `readerID`: The member; `nil` for none.
  /// - `memberLimit`: The number of members: operators first, then those who joined last.
  case group(channelID: Int64, since: Int64, readerID: String?, memberLimit: Int)
  /// The joined members of a group who block a user. Answer: `ids`.
  case blockers(ofUser: String, channelID: Int64)
  /// The terms and counts of the given channels that exist, in no order. Answer: `places`.
  case places([Int64])
}

/// The answer to a read.
package enum LogReading: Sendable, Hashable {
  /// `nil` if there is no channel with this URL.
  case channel(ChannelState?)
  case sends([RecentSend])
  /// With the `seq` of its arrival; `nil` if there is none.
  case message(SequencedMessage?)
  /// `nil` if the group never had the message.
  case messagePlace(MessagePlace?)
  /// The request's message was deleted.
  case withdrawn
  /// In the order of `seq`, earlier updates first; `nil` if more events are missing than can be
  /// recovered, or if the channel's count was never at this position.
  case missed([DurableEvent]?)
  /// The answer to ``MessageLog/list(_:for:_:to:)``.
  case page(MessagePage<Message>)
  case users([User])
  indirect case group(GroupReading)
  case ids([String])
  case places([LogChannel])
}

/// The contents of a group that its judge does not know.
package struct GroupReading: Sendable, Hashable {
  /// The newest message that the member may read.
  package var lastMessage: Message?
  package var members: [Member]
  /// The part of the reader; `nil` if there is none, or it is no member.
  package var own: OwnReading?
  /// The number of countable messages that the group has ever had.
  package var lastOrdinal: Int64
  /// See ``ChannelState/floorOrdinal``.
  package var floorOrdinal: Int64
  /// The last durable event of the group that the reading includes.
  package var lastSeq: Int64

  package init(
    lastMessage: Message?, members: [Member], own: OwnReading?, lastOrdinal: Int64 = 0,
    floorOrdinal: Int64 = 0, lastSeq: Int64 = 0
  ) {
    self.lastSeq = lastSeq
    self.lastMessage = lastMessage
    self.members = members
    self.own = own
    self.lastOrdinal = lastOrdinal
    self.floorOrdinal = floorOrdinal
  }
}

/// A member's own part in a group, with what its judge does not know.
package struct OwnReading: Sendable, Hashable {
  package var member: Member
  /// The inviter with its profile; `nil` if it was deleted.
  package var inviter: User?
  /// See ``ChannelState/floorOrdinal``.
  package var floorOrdinal: Int64
  /// The number of unread messages that mention the member; 0 for an invited member.
  package var mentionCount: Int64

  package init(
    _ member: Member, inviter: User?, floorOrdinal: Int64, mentionCount: Int64 = 0
  ) {
    self.mentionCount = mentionCount
    self.member = member
    self.inviter = inviter
    self.floorOrdinal = floorOrdinal
  }
}

/// The extent of the events that a log keeps in addition to messages.
package enum EventLog {
  /// The maximum number of a channel's `seq`s that a client may have missed and can still recover.
  package static let recoverableCount: Int64 = 300
  /// In `seq`s of a channel: more than can be recovered, because a read may be late.
  package static let reach = recoverableCount + 724
  /// The maximum number of updated messages before a position that are read with the events after it.
  package static let recentUpdateCount = 300
}

/// Time for which a `req_id` names the same message: 10 minutes.
package let requestIDLifetimeMilliseconds: Int64 = 600_000
