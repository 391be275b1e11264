package import Channels

/// A message to a shard itself.
package enum ShardTask: Sendable {
  /// The events of a turn, to the subscribers of a channel.
  case deliver(FanOutPlan)
  /// One event, to some sessions of the shard.
  case notify([UInt8], [SessionAddress])
  /// Other limits hold in general: channels at home on the shard go on with those.
  case renewLimits
  /// Begins to stop the receiver's server: an operator asked for it.
  case drain
  indirect case ask(ShardQuestion, replyTo: PollAddress)
  /// A question to all shards of the receiver's server, with one answer.
  indirect case askServer(ShardQuestion, replyTo: PollAddress)
  indirect case answer(ShardAnswer, to: PollAddress)
  /// All stages of a shard of another server have been attached to the homes of a ring.
  indirect case stagesMark(StagesMark)
  /// A report of another server to a service that the shards of this one share.
  indirect case notice(SharedService, [UInt8])
}

/// Follows the stages that a shard has attached after a change of the ring.
package struct StagesMark: Sendable, Hashable {
  /// Names the servers of the ring.
  package let ring: UInt64
  /// The shard that has attached its stages.
  package let shard: ShardAddress
  /// The number of shards of its server.
  package let shardCount: UInt16

  package init(ring: UInt64, shard: ShardAddress, shardCount: UInt16) {
    self.ring = ring
    self.shard = shard
    self.shardCount = shardCount
  }
}

/// A service that all shards of a server share, and that has its like on other servers.
package enum SharedService: UInt8, Sendable, Hashable, CaseIterable {
  case previews = 0
  case webhooks = 1
  /// A hint that something was announced in the store.
  case controlLog = 2
}

/// A question that several shards are asked.
package enum ShardQuestion: Sendable, Hashable {
  /// Which of these users, as far as they are at home on the shard, have a session?
  case online([String])
  /// Which sessions does the shard have?
  case sessions(SessionQuery)
  /// Closes a session by its id, which only its shard knows.
  case close(sessionID: String)
  /// How many connections does the shard have?
  case connections
  /// How many participants do these channels have, as far as they are at home on the shard?
  case participantCounts([String])
  /// Which sends to this channel await their answers on the shard?
  case awaitedSends(channelURL: String)
  /// Which channels at home on the shard have the most messages?
  case busiestChannels(limit: Int)
}

/// A shard's answer to the question of the same name, or a channel's to ``ChannelMessage/dismiss(userID:replyTo:)``.
package enum ShardAnswer: Sendable, Hashable {
  case online([String])
  case sessions([SessionSummary])
  /// The user of the session; `nil` when the shard did not have it.
  case closed(userID: String?)
  /// One count for each shard.
  case connections([ConnectionCount])
  /// In the order of the channels.
  case participantCounts([Int])
  case awaitedSends([AwaitedSend])
  /// At most as many as were asked for, the busiest first.
  case busiestChannels([ChannelTraffic])
  /// Whether a channel has written that a user is no operator any more; the channel may be gone.
  case dismissed(Bool)
  /// The result of sending the message of an upload, as a session's call would get it.
  case sent(CallOutcome)
  /// The channels of a user, for ``UserMessage/listChannels(replyTo:)``.
  case channels([String])
}

/// A page of sessions, in the order of their ids.
package struct SessionQuery: Sendable, Hashable {
  /// `nil` for the sessions of all users.
  package let userID: String?
  package let limit: Int
  /// Only later ids.
  package let last: String

  package init(userID: String?, limit: Int, last: String) {
    self.userID = userID
    self.limit = limit
    self.last = last
  }
}

/// A session as operators see it.
package struct SessionSummary: Sendable, Hashable {
  package let id: String
  package let userID: String
  /// The client's address without its port, which is unknown where clients come through proxies.
  package let address: String
  package let channelURLs: [String]

  package init(id: String, userID: String, address: String, channelURLs: [String]) {
    self.id = id
    self.userID = userID
    self.address = address
    self.channelURLs = channelURLs
  }
}

/// The traffic of a channel in the last minute.
package struct ChannelTraffic: Sendable, Hashable {
  package let url: String
  /// At least this many.
  package let messages: Int
  package let participants: Int

  package init(url: String, messages: Int, participants: Int) {
    self.url = url
    self.messages = messages
    self.participants = participants
  }
}

/// The connections of a shard.
package struct ConnectionCount: Sendable, Hashable {
  package let connections: Int
  package let sessions: Int
  /// Connections with bytes that wait to be written.
  package let queued: Int

  package init(connections: Int, sessions: Int, queued: Int) {
    self.connections = connections
    self.sessions = sessions
    self.queued = queued
  }
}
