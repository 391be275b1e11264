package import Channels

/// A message from one shard to another: a value that can be encoded, with the address of its
/// receiver.
///
/// Messages hold no closures and no references to objects of a server, so that the receiver may as
/// well be a shard of another server. An answer is a message too, to the address that came with the
/// question. Messages from one shard to another arrive in the order in which they were sent.
///
/// Large values lie in memory of their own; deliveries, of which there is one for each channel,
/// shard and turn, lie in the mailbox itself.
package enum ShardMessage: Sendable {
  /// To the home of a channel.
  indirect case channel(url: String, ChannelMessage)
  /// To the stage of a channel on a server.
  indirect case stage(server: UInt16, url: String, StageMessage)
  /// To the home of a user.
  indirect case user(id: String, UserMessage)
  /// To the shard that has a session.
  indirect case session(SessionAddress, SessionMessage)
  /// The answer to an HTTP request, to the shard that has its connection.
  indirect case exchange(ExchangeAddress, CallOutcome)
  case shard(ShardAddress, ShardTask)
}
