package import Channels

/// A message to a shard itself.
package enum ShardTask: Sendable {
  /// The events of a turn, to the subscribers of a channel.
  case deliver(FanOutPlan)
  /// One event, to some sessions of the shard.
  case notify([UInt8], [SessionAddress])
  /// Other limits hold in general: channels at home on the shard go on with those.
  case renewLimits
  /// Another server has changed what every server keeps in memory: to be read from the store again.
  case reread(SharedState)
  /// Begins to stop the receiver's server: an operator asked for it.
  case drain
  indirect case ask(ShardQuestion, replyTo: PollAddress)
  /// A question to all shards of the receiver's server, with one answer.
  indirect case askServer(ShardQuestion, replyTo: PollAddress)
  indirect case answer(ShardAnswer, to: PollAddress)
  /// A report of another server to a service that the shards of this one share.
  indirect case notice(SharedService, [UInt8])
}

/// A service that all shards of a server share, and that has its like on other servers.
package enum SharedService: UInt8, Sendable, Hashable, CaseIterable {
  case previews = 0
  case webhooks = 1
}

/// A part of the store that every server keeps in memory.
package enum SharedState: UInt8, Sendable, Hashable, CaseIterable {
  /// The limits of the deployment and of custom types.
  case limits
  /// The tokens of the Platform API that were issued.
  case apiTokens
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
}

/// A shard's answer to the question of the same name, or a channel's to ``ChannelMessage/dismiss(userID:replyTo:)``.
package enum ShardAnswer: Sendable, Hashable {
  case online([String])
  case sessions([SessionSummary])
  /// Whether the shard had the session.
  case closed(Bool)
  /// One count for each shard.
  case connections([ConnectionCount])
  /// In the order of the channels.
  case participantCounts([Int])
  /// Whether a channel has written that a user is no operator any more; the channel may be gone.
  case dismissed(Bool)
  /// The result of sending the message of an upload, as a session's call would get it.
  case sent(CallOutcome)
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
