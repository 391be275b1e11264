package import ParleyProtocol

/// A message to a shard itself.
package enum ShardTask: Sendable {
  /// The events of a turn, for the subscribers of a channel.
  case deliver(FanOutPlan)
  /// One event, for some sessions of the shard.
  case notify([UInt8], [SessionAddress])
  /// General limits have changed: channels at home on the shard apply the new ones.
  case renewLimits
  /// Starts to drain the receiver's server, at an operator's request.
  case drainServer
  indirect case ask(ShardQuestion, replyTo: PollAddress)
  /// A question to all shards of the receiver's server, with one answer.
  indirect case askServer(ShardQuestion, replyTo: PollAddress)
  indirect case answer(ShardAnswer, to: PollAddress)
  /// All stages of a shard of another server have been attached to the homes of a ring.
  indirect case stagesMark(StagesMark)
  /// A report of another server to a service that is shared by the shards of this server.
  indirect case notice(SharedService, [UInt8])
  /// About a request to an event stream, for the shard of either.
  indirect case stream(StreamMessage)
}

/// Tracks the stages that a shard has attached after a change of the ring.
package struct StagesMark: Sendable, Hashable {
  /// Identifies the servers of the ring.
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

/// A service that all shards of a server share, and that has a counterpart on other servers.
package enum SharedService: UInt8, Sendable, Hashable, CaseIterable {
  case previews = 0
  case webhooks = 1
  /// A hint that an announcement was written to the store.
  case controlLog = 2
  /// The users who are online.
  case onlineUsers = 3
  case push = 4
}

/// A question to several shards.
package enum ShardQuestion: Sendable, Hashable {
  /// Which of these users that are at home on the shard have a session?
  case online([String])
  /// Which sessions does the shard have?
  case sessions(SessionQuery)
  /// Closes a session by its id, which only its shard knows.
  case close(sessionID: String)
  /// How many connections does the shard have?
  case connections
  /// How many participants do those of these channels have that are at home on the shard?
  case participantCounts([String])
  /// Which channels at home on the server have the most participants, after a position?
  case fullestChannels(limit: Int, after: CountedChannel?)
  /// Which sends to this channel await their answers on the shard?
  case awaitedSends(channelURL: String)
  /// Which channels at home on the shard have the most messages?
  case busiestChannels(limit: Int)
  /// Which sessions do these users that are at home on the shard have, for the events of groups?
  case seats([String])
  /// Have these groups that are at home on the shard recorded a connection of a joined member?
  case cover(Seat, groups: [String])
}

/// The answer to the question of the same name, or to ``ChannelMessage/dismiss(userID:replyTo:)``.
package enum ShardAnswer: Sendable, Hashable {
  case online([String])
  case sessions([SessionSummary])
  /// The user of the session; `nil` if the shard did not have the session.
  case closed(userID: String?)
  /// One count for each shard.
  case connections([ConnectionCount])
  /// In the order of the requested channels.
  case participantCounts([Int])
  /// At most the requested number, in the order of ``CountedChannel/precedes(_:)``.
  case fullestChannels([CountedChannel])
  case awaitedSends([AwaitedSend])
  /// At most the requested number, the busiest first.
  case busiestChannels([ChannelTraffic])
  /// Whether a channel has recorded that a user is no longer an operator; the channel may be gone.
  case dismissed(Bool)
  /// The answer to ``ChannelMessage/background(_:by:replyTo:)``, as a session's call would receive it.
  case outcome(CallOutcome)
  /// The channels of a user, for ``UserMessage/listChannels(replyTo:)``.
  case channels([String])
  case seats([Seat])
  /// The answer to ``ChannelMessage/recover(after:by:byteLimit:replyTo:)``.
  case recovered(Result<RecoveredGroup, ServiceError>)
  /// Whether all groups have; not if the shard does not know the server of the connection.
  case covered(Bool)
}

/// A page of sessions, sorted by id.
package struct SessionQuery: Sendable, Hashable {
  /// `nil` for the sessions of all users.
  package let userID: String?
  package let limit: Int
  /// Only ids after this one.
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
  /// The client's address, without a port.
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
  /// A lower bound.
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
  /// Connections with queued output.
  package let queued: Int

  package init(connections: Int, sessions: Int, queued: Int) {
    self.connections = connections
    self.sessions = sessions
    self.queued = queued
  }
}
