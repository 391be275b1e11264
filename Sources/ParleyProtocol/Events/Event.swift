/// An event as sent to clients and webhooks and stored in the log.
///
/// An event is created before it has a number and a time, which are stored in its ``EventOrigin``. All
/// forms of an event are derived from this type:
///
///     socket    {"jsonrpc":"2.0","method":NAME,"params":{ORIGIN,PAYLOAD}}   notification(from:)
///     webhook   {"event":NAME,ORIGIN,PAYLOAD}                               webhookEvent(from:)
///     log       name, message id, {the rest of PAYLOAD}, seq, time          LoggedEvent
///
/// Clients parse the first two with ``init(_:params:)``.
package enum Event: Sendable, Hashable {
  /// A message was sent.
  case messageReceived(EventMessage)
  /// A message was changed by its author, an operator or the server.
  case messageUpdated(EventMessage)
  case messageDeleted(Deletion)
  /// A channel was created; sent only to webhooks.
  indirect case channelCreated(ChannelInfo)
  /// A channel's name, cover, data or type changed.
  indirect case channelChanged(ChannelInfo)
  /// A channel was deleted; the payload is its last state.
  indirect case channelDeleted(ChannelInfo)
  /// Only operators may send from now on.
  indirect case channelFrozen(ChannelInfo)
  /// Everyone may send again.
  indirect case channelUnfrozen(ChannelInfo)
  indirect case userMuted(Restriction)
  /// A mute was lifted.
  indirect case userUnmuted(Release)
  /// A user was banned and is removed from the channel.
  indirect case userBanned(Restriction)
  /// A ban was lifted.
  indirect case userUnbanned(Release)
  /// The operators of a channel changed.
  case operatorsChanged(Operators)
  /// A group was created; sent only to webhooks.
  indirect case groupCreated(ChannelInfo)
  /// Users were invited to a group.
  indirect case groupInvited(Invitation)
  indirect case groupJoined(Membership)
  /// A user declined an invitation, or it was withdrawn.
  indirect case groupDeclined(Membership)
  indirect case groupLeft(Departure)
  /// The numbers of members of a large group changed.
  case groupMemberCount(MemberCount)
  /// The receiver is no longer a member of a group; nothing of the group follows.
  case groupLost(GroupLoss)
  /// The receiver's number of unread messages has changed on another of its connections.
  indirect case groupUnread(OwnMembership)
  /// The receiver has hidden a group.
  indirect case groupHidden(OwnMembership)
  /// A group that the receiver had hidden is back.
  indirect case groupUnhidden(OwnMembership)
  /// Members have read further.
  indirect case groupRead(Reads)
  /// Clients of members have received further messages.
  indirect case groupDelivered(Reads)
  /// Other members are typing.
  indirect case groupTyping(Typing)
  /// From here on a connection receives the events of all groups that its user has joined.
  case groupReady(Readiness)
  /// The receiver's numbers over all its groups have changed.
  indirect case groupTotals(Totals)
  /// The first connection of a user entered.
  indirect case userEntered(Presence)
  /// The last connection of a user left.
  indirect case userExited(Presence)
  /// The number of participants of a large channel changed.
  case participantCount(ParticipantCount)
  /// Messages were not delivered to a participant.
  case throttled(Throttling)
  /// A message was not delivered to participants; sent only to observers.
  case messageWithheld(Withholding)
  /// A message mentions a user who is not in its channel.
  case mentionReceived(EventMessage)
  /// The token of a session will expire soon.
  case sessionExpiring(Expiry)
  /// A new key with which the session's user opens files.
  case sessionFileKey(FileKey)
  /// The server will close the connection soon.
  case serverDraining(Draining)
  /// A message, a user or a channel was reported; sent only to webhooks.
  indirect case reported(AbuseReport)

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
    case .groupCreated: .groupCreated
    case .groupInvited: .groupInvited
    case .groupJoined: .groupJoined
    case .groupDeclined: .groupDeclined
    case .groupLeft: .groupLeft
    case .groupMemberCount: .groupMemberCount
    case .groupLost: .groupLost
    case .groupUnread: .groupUnread
    case .groupHidden: .groupHidden
    case .groupUnhidden: .groupUnhidden
    case .groupRead: .groupRead
    case .groupDelivered: .groupDelivered
    case .groupTyping: .groupTyping
    case .groupReady: .groupReady
    case .groupTotals: .groupTotals
    case .userEntered: .userEntered
    case .userExited: .userExited
    case .participantCount: .participantCount
    case .throttled: .throttled
    case .messageWithheld: .messageWithheld
    case .mentionReceived: .mentionReceived
    case .sessionExpiring: .sessionExpiring
    case .sessionFileKey: .sessionFileKey
    case .serverDraining: .serverDraining
    case .reported(let report):
      switch report.type {
      case .message: .messageReport
      case .user: .userReport
      case .channel: .channelReport
      }
    }
  }

  /// Whether the event has a number in its channel, and can be recovered by clients that missed it.
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
      .channelFrozen(let channel), .channelUnfrozen(let channel), .groupCreated(let channel):
      .channel(channel)
    case .userMuted(let restriction), .userBanned(let restriction): .restriction(restriction)
    case .userUnmuted(let release), .userUnbanned(let release): .release(release)
    case .operatorsChanged(let operators): .operators(operators)
    case .groupInvited(let invitation): .invitation(invitation)
    case .groupJoined(let membership), .groupDeclined(let membership): .membership(membership)
    case .groupLeft(let departure): .departure(departure)
    case .groupMemberCount(let count): .memberCount(count)
    case .groupLost(let loss): .groupLoss(loss)
    case .groupUnread(let own), .groupHidden(let own), .groupUnhidden(let own):
      .ownMembership(own)
    case .groupRead(let reads), .groupDelivered(let reads): .reads(reads)
    case .groupTyping(let typing): .typing(typing)
    case .groupReady(let readiness): .readiness(readiness)
    case .groupTotals(let totals): .totals(totals)
    case .userEntered(let presence), .userExited(let presence): .presence(presence)
    case .participantCount(let count): .participantCount(count)
    case .throttled(let throttling): .throttling(throttling)
    case .messageWithheld(let withholding): .withholding(withholding)
    case .sessionExpiring(let expiry): .expiry(expiry)
    case .sessionFileKey(let key): .fileKey(key)
    case .serverDraining(let draining): .draining(draining)
    case .reported(let report): .report(report)
    }
  }

  /// Parses an event from the members of its notification or webhook.
  package init(_ name: EventName, params: JSONNode) throws(ResourceError) {
    try self.init(name, EventMembers(name, params))
  }

  init(_ name: EventName, _ members: EventMembers) throws(ResourceError) {
    switch name {
    case .messageReceived: self = .messageReceived(try members.message())
    case .messageUpdated: self = .messageUpdated(try members.message())
    case .messageDeleted: self = .messageDeleted(try Deletion(members.reader))
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
    case .groupCreated: self = .groupCreated(try members.channel())
    case .groupInvited: self = .groupInvited(try Invitation(members))
    case .groupJoined: self = .groupJoined(try Membership(members.reader))
    case .groupDeclined: self = .groupDeclined(try Membership(members.reader))
    case .groupLeft: self = .groupLeft(try Departure(members.reader))
    case .groupMemberCount: self = .groupMemberCount(try MemberCount(members.reader))
    case .groupLost: self = .groupLost(try GroupLoss(members.reader))
    case .groupUnread: self = .groupUnread(try members.own())
    case .groupHidden: self = .groupHidden(try members.own())
    case .groupUnhidden: self = .groupUnhidden(try members.own())
    case .groupRead: self = .groupRead(try Reads(members.reader))
    case .groupDelivered: self = .groupDelivered(try Reads(members.reader))
    case .groupTyping: self = .groupTyping(try Typing(members.reader))
    case .groupReady: self = .groupReady(try Readiness(members.reader))
    case .groupTotals: self = .groupTotals(try Totals(members.reader))
    case .userEntered: self = .userEntered(try Presence(members.reader))
    case .userExited: self = .userExited(try Presence(members.reader))
    case .participantCount: self = .participantCount(try ParticipantCount(members.reader))
    case .throttled: self = .throttled(try Throttling(members.reader))
    case .messageWithheld: self = .messageWithheld(try Withholding(members.reader))
    case .mentionReceived: self = .mentionReceived(try members.message())
    case .sessionExpiring: self = .sessionExpiring(try Expiry(members.reader))
    case .sessionFileKey: self = .sessionFileKey(try FileKey(members.reader))
    case .serverDraining: self = .serverDraining(try Draining(members.reader))
    case .messageReport, .userReport, .channelReport:
      self = .reported(try AbuseReport(members.reader))
    }
  }
}

/// Encodes events to be sent to clients and webhooks.
extension Event {
  /// The event as a JSON-RPC notification, ready to be framed and sent to many connections.
  package func notification(from origin: EventOrigin) -> [UInt8] {
    let payload = payload
    return JSONWriter.bytes(reserving: payload.capacity + 160) {
      $0.object {
        $0.name("jsonrpc")
        $0.value(unescaped: "2.0")
        $0.name("method")
        $0.value(unescaped: name.rawValue)
        $0.name("params")
        $0.object {
          origin.encode(into: &$0)
          payload.encode(into: &$0)
        }
      }
    }
  }

  /// The event as an element of `events` in the body of a webhook.
  package func webhookEvent(from origin: EventOrigin) -> [UInt8] {
    let payload = payload
    return JSONWriter.bytes(reserving: payload.capacity + 160) {
      $0.object {
        $0.name("event")
        $0.value(unescaped: name.rawValue)
        origin.encode(into: &$0)
        payload.encode(into: &$0)
      }
    }
  }
}
