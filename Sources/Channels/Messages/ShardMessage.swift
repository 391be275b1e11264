/// A message from one shard to another: an encodable value with the address of its receiver.
///
/// Messages hold no closures and no references to objects of a server, so the receiver can also be
/// a shard of another server. An answer is a message too, sent to the address in the question.
/// Messages from one shard to another arrive in the order in which they were sent.
///
/// Large values are allocated separately; deliveries, one for each channel, shard and turn, are
/// stored inline in the mailbox.
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
