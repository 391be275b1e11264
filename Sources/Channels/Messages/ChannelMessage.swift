package import ParleyProtocol

/// A message to the home of a channel, which may have to be read from the store first.
package enum ChannelMessage: Sendable {
  // From sessions.
  case command(ChannelCommand, by: SessionPrincipal, replyTo: ReplyAddress)
  case listParticipants(
    limit: Int, token: String?, for: SessionPrincipal, replyTo: ReplyAddress)
  case listMessages(MessageList, for: SessionPrincipal, replyTo: ReplyAddress)
  case listMembers(GroupMembers, for: SessionPrincipal, replyTo: ReplyAddress)
  case listChanges(MessageChangeList, for: SessionPrincipal, replyTo: ReplyAddress)
  /// A user reports a message, a user or the channel itself to the moderators.
  case complain(AbuseReportDraft, by: SessionPrincipal, replyTo: ReplyAddress)
  /// A connection of a member of a group requests the events after a position; the answer is
  /// ``ShardAnswer/recovered(_:)``.
  ///
  /// - `byteLimit`: The maximum size of the events.
  case recover(
    after: StreamPosition, by: SessionPrincipal, byteLimit: Int, replyTo: PollAddress)
  /// A connection with waiting sends has left the channel.
  case exited(SessionAddress)
  /// The profile of a user in the channel has changed.
  case profile(User)

  // From the channel's stages on other servers.
  case report(StageReport, from: StageAddress)

  // From the Platform API.
  /// A call whose endpoint runs at the channel's home.
  case platform(PlatformRequest)
  /// A message from a back end, with its author as resolved on the way: `nil` for an admin message.
  ///
  /// - `createdAt`: The time of an imported message; servers that do not support it refuse the message.
  case submit(
    MessageOrder, to: ChannelKind, createdAt: Int64?, onBehalfOf: Result<User?, ServiceError>,
    replyTo: ExchangeAddress)
  /// A question about a group, with its members.
  case viewGroup(replyTo: ExchangeAddress)
  /// A command of a user that is not from one of its connections, such as the message of a completed
  /// upload; the answer is ``ShardAnswer/outcome(_:)``.
  indirect case background(ChannelCommand, by: User, replyTo: PollAddress)
  /// A question about the limits that currently apply to a user.
  case explainLimits(userID: String, replyTo: ExchangeAddress)

  /// Ends the operator role of a user to be deleted; answered by ``ShardAnswer/dismissed(_:)``.
  case dismiss(userID: String, replyTo: PollAddress)

  // From both.
  /// Creates a channel with this URL.
  case create(Channel, replyTo: CallAddress)
  /// Creates a group; a session creates it for its user.
  case createGroup(GroupCreation, replyTo: CallAddress)

  // Changes of the store that were not made at the channel's home.
  /// The deletion of a user ended its bans and mutes.
  case restrictionsRemoved(userID: String)
  /// A user now blocks another one; of no effect on a channel that is not in memory.
  case blocked(Block)
  /// A user no longer blocks another one; of no effect on a channel that is not in memory.
  case unblocked(Block)
  /// A user keeps to itself how far it has read, or no longer; of no effect on a channel that is not in memory.
  case readPrivacyChanged(userID: String, hidesReads: Bool)
  /// The channel's complete metadata.
  case metadata([String: String])

  // From the channel's previous home.
  /// An addition to a message.
  case lateAddition(LateAddition)
}

/// A group to be created, with its first members.
package struct GroupCreation: Sendable, Hashable {
  /// With its creator, if it has one.
  package let channel: Channel
  /// The other members, sorted.
  package let invitedIDs: [String]
  /// The number of members in the answer.
  package let memberLimit: Int

  package init(_ channel: Channel, inviting invitedIDs: [String], memberLimit: Int) {
    self.channel = channel
    self.invitedIDs = invitedIDs
    self.memberLimit = memberLimit
  }
}

/// A call of the Platform API as received, after its token was accepted.
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
