package import Channels
package import ParleyProtocol

/// A message to the home of a channel, which may have to be read from the store first.
package enum ChannelMessage: Sendable {
  // From sessions.
  case command(ChannelCommand, by: SessionPrincipal, replyTo: ReplyAddress)
  case listParticipants(limit: Int, token: String?, replyTo: ReplyAddress)
  case listMessages(MessageList, for: SessionPrincipal, replyTo: ReplyAddress)
  /// A connection with sends that wait has left the channel.
  case exited(SessionAddress)
  /// A user who is in the channel has another profile.
  case profile(User)

  // From the channel's stages on other servers.
  case report(StageReport, from: StageAddress)

  // From the Platform API.
  /// A call whose endpoint works at the channel's home.
  case platform(PlatformRequest)
  /// A message that a back end sends, with its author as found on the way: `nil` for an admin message.
  ///
  /// - `createdAt`: The time of a message of the past; servers that do not know it refuse the message.
  case submit(
    MessageOrder, createdAt: Int64?, onBehalfOf: Result<User?, ServiceError>,
    replyTo: ExchangeAddress)
  /// The message of a user's upload that is complete; the answer is ``ShardAnswer/sent(_:)``.
  case sendUploaded(MessageOrder, by: User, replyTo: PollAddress)
  /// A question about the limits as they stand for a user.
  case explainLimits(userID: String, replyTo: ExchangeAddress)

  /// A user who is to be deleted is no operator any more; the answer is ``ShardAnswer/dismissed(_:)``.
  case dismiss(userID: String, replyTo: PollAddress)

  // From both.
  /// A channel to be made, with this URL.
  case create(Channel, replyTo: CallAddress)

  // Changes of the store that were not made at the channel's home.
  /// The deletion of a user ended its bans and mutes.
  case restrictionsRemoved(userID: String)
  /// The channel's metadata, whole.
  case metadata([String: String])

  // From the channel's home before.
  /// An addition to a message.
  case lateAddition(LateAddition)
}

/// A call of the Platform API as it came, after its token was admitted.
package struct PlatformRequest: Sendable, Hashable {
  package let method: String
  /// The path and the query, as sent.
  package let target: String
  package let body: [UInt8]
  /// The SHA-256 of the API token.
  package let caller: [UInt8]
  package let exchange: ExchangeAddress

  package init(
    method: String, target: String, body: [UInt8], caller: [UInt8], exchange: ExchangeAddress
  ) {
    self.method = method
    self.target = target
    self.body = body
    self.caller = caller
    self.exchange = exchange
  }
}
