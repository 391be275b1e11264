/// Something that happened, as clients, webhooks and the log know it.
///
/// An event is made before it has a number and a time, which its ``EventOrigin`` holds. All forms of
/// an event are derived from this type:
///
///     socket    {"jsonrpc":"2.0","method":NAME,"params":{ORIGIN,PAYLOAD}}   notification(from:)
///     webhook   {"event":NAME,ORIGIN,PAYLOAD}                               webhookEvent(from:)
///     log       name, message id, {the rest of PAYLOAD}                     LoggedEvent
///
/// Clients read the first two with ``init(_:params:)``.
package enum Event: Sendable, Hashable {
  /// A message was sent.
  case messageReceived(EventResource<Message>)
  /// A message was changed by its author, an operator or the server.
  case messageUpdated(EventResource<Message>)
  case messageDeleted(Deletion)
  /// A channel was created; only webhooks learn of it.
  case channelCreated(EventResource<ChannelInfo>)
  /// A channel's name, cover, data or type changed.
  case channelChanged(EventResource<ChannelInfo>)
  /// A channel was deleted; the payload is its last state.
  case channelDeleted(EventResource<ChannelInfo>)
  /// Only operators may send from now on.
  case channelFrozen(EventResource<ChannelInfo>)
  /// Everyone may send again.
  case channelUnfrozen(EventResource<ChannelInfo>)
  case userMuted(Restriction)
  /// A mute was lifted.
  case userUnmuted(Release)
  /// A user was banned and is put out of the channel.
  case userBanned(Restriction)
  /// A ban was lifted.
  case userUnbanned(Release)
  /// A channel has other operators now.
  case operatorsChanged(Operators)
  /// The first connection of a user entered.
  case userEntered(Presence)
  /// The last connection of a user left.
  case userExited(Presence)
  /// The number of participants of a large channel changed.
  case participantCount(ParticipantCount)
  /// Messages were withheld from a participant.
  case throttled(Throttling)
  /// A message mentions a user who is not in its channel.
  case mentionReceived(EventResource<Message>)
  /// The token of a session is about to expire.
  case sessionExpiring(Expiry)
  /// The server is about to close the connection.
  case serverDraining(Draining)

  package var name: EventName {
    switch self {
    case .messageReceived: .messageReceived
    case .messageUpdated: .messageUpdated
    case .messageDeleted: .messageDeleted
    case .channelCreated: .channelCreated
    case .channelChanged: .channelChanged
    case .channelDeleted: .channelDeleted
    case .channelFrozen: .channelFrozen
    case .channelUnfrozen: .channelUnfrozen
    case .userMuted: .userMuted
    case .userUnmuted: .userUnmuted
    case .userBanned: .userBanned
    case .userUnbanned: .userUnbanned
    case .operatorsChanged: .operatorsChanged
    case .userEntered: .userEntered
    case .userExited: .userExited
    case .participantCount: .participantCount
    case .throttled: .throttled
    case .mentionReceived: .mentionReceived
    case .sessionExpiring: .sessionExpiring
    case .serverDraining: .serverDraining
    }
  }

  /// Whether the event has a number in its channel, and is recovered by clients that missed it.
  package var isDurable: Bool { name.isDurable }

  /// Whether webhooks can subscribe to the event.
  package var isPosted: Bool { name.isPosted }

  var payload: EventPayload {
    switch self {
    case .messageReceived(let message), .messageUpdated(let message),
      .mentionReceived(let message):
      .message(message)
    case .messageDeleted(let deletion): .deletion(deletion)
    case .channelCreated(let channel), .channelChanged(let channel), .channelDeleted(let channel),
      .channelFrozen(let channel), .channelUnfrozen(let channel):
      .channel(channel)
    case .userMuted(let restriction), .userBanned(let restriction): .restriction(restriction)
    case .userUnmuted(let release), .userUnbanned(let release): .release(release)
    case .operatorsChanged(let operators): .operators(operators)
    case .userEntered(let presence), .userExited(let presence): .presence(presence)
    case .participantCount(let count): .participantCount(count)
    case .throttled(let throttling): .throttling(throttling)
    case .sessionExpiring(let expiry): .expiry(expiry)
    case .serverDraining(let draining): .draining(draining)
    }
  }

  /// Reads an event from the members of its notification or webhook.
  package init(_ name: EventName, params: JSONNode) throws(ResourceError) {
    try self.init(name, EventMembers(name, params))
  }

  init(_ name: EventName, _ members: EventMembers) throws(ResourceError) {
    switch name {
    case .messageReceived: self = .messageReceived(try members.message())
    case .messageUpdated: self = .messageUpdated(try members.message())
    case .messageDeleted: self = .messageDeleted(try Deletion(members))
    case .channelCreated: self = .channelCreated(try members.channel())
    case .channelChanged: self = .channelChanged(try members.channel())
    case .channelDeleted: self = .channelDeleted(try members.channel())
    case .channelFrozen: self = .channelFrozen(try members.channel())
    case .channelUnfrozen: self = .channelUnfrozen(try members.channel())
    case .userMuted: self = .userMuted(try Restriction(members.reader))
    case .userUnmuted: self = .userUnmuted(try Release(members.reader))
    case .userBanned: self = .userBanned(try Restriction(members.reader))
    case .userUnbanned: self = .userUnbanned(try Release(members.reader))
    case .operatorsChanged: self = .operatorsChanged(try Operators(members.reader))
    case .userEntered: self = .userEntered(try Presence(members.reader))
    case .userExited: self = .userExited(try Presence(members.reader))
    case .participantCount: self = .participantCount(try ParticipantCount(members.reader))
    case .throttled: self = .throttled(try Throttling(members.reader))
    case .mentionReceived: self = .mentionReceived(try members.message())
    case .sessionExpiring: self = .sessionExpiring(try Expiry(members.reader))
    case .serverDraining: self = .serverDraining(try Draining(members.reader))
    }
  }
}
