package import ParleyProtocol

/// A question to a log that is answered from a few rows, found by their keys.
package enum LogRead: Sendable, Hashable {
  /// The channel with all that is set for it. Answer: `channel`.
  case channel(url: String)
  /// The newest messages of users after a time, oldest first. Answer: `sends`.
  ///
  /// - `limit`: Most messages.
  case sends(channelID: Int64, after: Int64, limit: Int)
  /// A message as it is now. Answer: `message`.
  case message(Int64, channelID: Int64)
  /// The message that a request made, by a user or, for admin messages, by the Platform API.
  /// Answer: `message` or `withdrawn`.
  ///
  /// - `since`: Unix milliseconds; only messages after it count.
  case request(String, userID: String?, channelID: Int64, since: Int64)
  /// The message that a request imported with a time, by a user or, for admin messages, by the Platform API.
  /// Answer: `message`.
  ///
  /// The last 1,000 messages of a millisecond are looked at.
  case imported(String, userID: String?, channelID: Int64, createdAt: Int64)
  /// The events after a number, messages that were deleted since left out, and the last updates
  /// before it. Answer: `missed`.
  ///
  /// - `byteLimit`: Most bytes that the missed events may hold.
  /// - `updatesWithin`: Milliseconds before the event of that number. Updates from this time on are
  ///   read too, only the last of each message; `nil` for none.
  case missed(channelID: Int64, after: Int64, byteLimit: Int64, updatesWithin: Int64?)
  /// Those of the users that exist, each once, in the order given. Answer: `users`.
  case users([String])
  /// The terms and counts of those of the channels that exist, in no order. Answer: `places`.
  case places([Int64])
}

/// The answer to a read.
package enum LogReading: Sendable, Hashable {
  /// `nil` when there is no channel of this URL.
  case channel(ChannelState?)
  case sends([RecentSend])
  /// With the `seq` of its arrival; `nil` when there is none.
  case message(SequencedMessage?)
  /// The request's message was deleted.
  case withdrawn
  /// In the order of `seq`, updates of before first; `nil` when more are missing than can be
  /// recovered, or when the channel's count never was there.
  case missed([DurableEvent]?)
  /// The answer to ``MessageLog/list(_:for:_:to:)``.
  case page(MessagePage<Message>)
  case users([User])
  case places([LogChannel])
}

/// The reach of what a log keeps beside messages.
package enum EventLog {
  /// Most `seq`s of a channel that a client may have missed and still recover.
  package static let recoverableCount: Int64 = 300
  /// In `seq`s of a channel: more than can be recovered, because a read may come late.
  package static let reach = recoverableCount + 724
  /// Most updated messages before a position that are read with what was missed after it.
  package static let recentUpdateCount = 300
}

/// Time for which a `req_id` names the same message: 10 minutes.
package let requestIDLifetimeMilliseconds: Int64 = 600_000
