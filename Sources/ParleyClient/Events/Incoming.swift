internal import ParleyProtocol

/// A parsed notification of the server.
enum Incoming: Sendable {
  /// An event in a channel of any kind, with the change of the channel's properties.
  case channel(url: String, OpenChannelEvent, SnapshotChange?)
  /// An event that only groups have, with the change of the group's properties.
  case group(url: String, GroupChannelEvent, SnapshotChange)
  /// From here on, the connection receives every event of the user's groups.
  case groupsReady(changesToken: String)
  case connection(ConnectionEvent)
  case mentioned(any BaseMessage)
  case totals(UnreadTotals)

  /// Parses a notification; `nil` for an unknown method.
  ///
  /// - Throws: ``ParleyError/malformedAnswer(_:)`` when a member is missing.
  init?(method: String, params: JSONNode?, _ reader: MessageReader) throws(ParleyError) {
    guard let name = EventName(rawValue: method) else { return nil }
    guard let params else { throw .malformedAnswer("the event \(method) has no 'params'") }
    let event = try AnswerReader.resource { () throws(ResourceError) in
      try Event(name, params: params)
    }
    guard let incoming = try Self.incoming(event, params, reader) else { return nil }
    self = incoming
  }

  private static func incoming(
    _ event: Event, _ params: JSONNode, _ reader: MessageReader
  ) throws(ParleyError) -> Incoming? {
    func time() throws(ParleyError) -> Int64 { try AnswerReader.integer("ts", of: params) }
    func inChannel(
      _ event: OpenChannelEvent, _ change: SnapshotChange? = nil
    ) throws(ParleyError) -> Incoming {
      .channel(url: try AnswerReader.text("channel_url", of: params), event, change)
    }
    func withMessage(
      _ message: EventMessage, _ event: (any BaseMessage) -> OpenChannelEvent
    ) throws(ParleyError) -> Incoming {
      let shown = reader.message(message.message)
      return try inChannel(
        event(shown),
        message.former.map { .mentionsChanged(shown, from: $0.mentions) } ?? .message(shown))
    }
    func withChannel(_ event: OpenChannelEvent) throws(ParleyError) -> Incoming {
      try inChannel(event, .replaced(AnswerReader.channel(of: params)))
    }
    func inGroup(
      _ event: GroupChannelEvent, _ change: SnapshotChange
    ) throws(ParleyError) -> Incoming {
      .group(url: try AnswerReader.text("channel_url", of: params), event, change)
    }
    func inGroup(
      _ event: GroupChannelEvent, _ change: MemberChange
    ) throws(ParleyError) -> Incoming {
      try inGroup(event, .members(change))
    }
    return switch event {
    case .messageReceived(let message): try withMessage(message) { .messageReceived($0) }
    case .messageUpdated(let message): try withMessage(message) { .messageUpdated($0) }
    case .messageDeleted(let deletion):
      try inChannel(
        .messageDeleted(messageID: deletion.messageID), .messageDeleted(deletion))
    case .throttled(let range): try inChannel(.messagesThrottled(ThrottledMessages(range)))
    // Sent only to webhooks and observers.
    case .channelCreated, .groupCreated, .messageWithheld, .reported: nil
    case .channelChanged: try withChannel(.changed)
    case .channelDeleted: try withChannel(.deleted)
    case .channelFrozen: try withChannel(.frozen)
    case .channelUnfrozen: try withChannel(.unfrozen)
    case .operatorsChanged(let operators):
      try inChannel(
        .operatorsChanged(operators.users.map(User.init)),
        .operators(operators.users.map(User.init)))
    case .participantCount(let participants):
      try inChannel(
        .participantCountChanged(participants.count), .participantCount(participants.count))
    case .userEntered(let presence):
      try inChannel(
        .userEntered(User(presence.user)), .participantCount(presence.participantCount))
    case .userExited(let presence):
      try inChannel(.userExited(User(presence.user)), .participantCount(presence.participantCount))
    case .userMuted(let restriction):
      try inChannel(
        .userMuted(User(restriction.user), RestrictionDetails(restriction)),
        .muted(userID: restriction.user.id, true))
    case .userUnmuted(let release):
      try inChannel(.userUnmuted(User(release.user)), .muted(userID: release.user.id, false))
    case .userBanned(let restriction):
      try inChannel(.userBanned(User(restriction.user), RestrictionDetails(restriction)))
    case .userUnbanned(let release): try inChannel(.userUnbanned(User(release.user)))
    case .groupInvited(let invitation):
      try inGroup(
        .invitationReceived(
          invitation.users.map(User.init), inviter: invitation.inviter.map(User.init)),
        .invited(
          invitation.users.map(User.init), by: invitation.inviter.map(User.init), at: time(),
          AnswerReader.channel(of: params)))
    case .groupJoined(let membership):
      try inGroup(
        .userJoined(User(membership.user)),
        .joined(User(membership.user), at: time(), MemberChange.Counts(membership)))
    case .groupDeclined(let membership):
      try inGroup(
        .invitationDeclined(User(membership.user)),
        .gone(User(membership.user), MemberChange.Counts(membership)))
    case .groupLeft(let departure):
      try inGroup(
        .userLeft(User(departure.membership.user), MembershipEnd(departure.reason)),
        .gone(User(departure.membership.user), MemberChange.Counts(departure.membership)))
    case .groupMemberCount(let count):
      try inGroup(
        .memberCountChanged, .counted(MemberChange.Counts(members: count.all, joined: count.joined))
      )
    case .groupLost(let loss): try inGroup(.membershipEnded(MembershipEnd(loss.reason)), .lost)
    case .groupUnread(let own): try inGroup(.unreadMessageCountChanged, .own(own))
    case .groupHidden(let own): try inGroup(.hidden, .own(own))
    case .groupUnhidden(let own): try inGroup(.unhidden, .own(own))
    case .groupRead(let reads): try inGroup(.readStatusChanged, .reads(reads.reads))
    case .groupDelivered(let moves):
      try inGroup(.deliveryStatusChanged, .deliveries(moves.reads))
    case .groupTyping(let typing): try inGroup(.typingStatusChanged, .typing(typing.userIDs))
    case .groupReady(let readiness): .groupsReady(changesToken: readiness.token)
    case .groupTotals(let totals): .totals(UnreadTotals(totals))
    case .mentionReceived(let message): .mentioned(reader.message(message.message))
    case .sessionExpiring(let expiry): .connection(.sessionExpiring(at: expiry.expiresAt))
    case .sessionFileKey(let key):
      .connection(.fileKeyRenewed(FileKey(key: key.key, expiresAt: key.expiresAt)))
    case .serverDraining(let draining):
      .connection(
        .serverDraining(reconnectAfter: .milliseconds(max(0, draining.reconnectAfter))))
    }
  }
}

extension ThrottledMessages {
  init(_ throttling: Event.Throttling) {
    self.init(
      count: throttling.withheld, firstMessageID: throttling.firstMessageID,
      lastMessageID: throttling.lastMessageID)
  }
}

extension MemberChange.Counts {
  init(_ membership: Event.Membership) {
    self.init(members: membership.count.all, joined: membership.count.joined)
  }
}

extension RestrictionDetails {
  init(_ restriction: Event.Restriction) {
    self.init(seconds: restriction.seconds, description: restriction.description)
  }
}

/// An event with the bytes that carried it, for programs that forward events.
package struct WireEvent: Sendable {
  /// The event as the client parsed it.
  package let event: ParleyEvent
  /// The notification as the server sent it; `nil` for events of the client itself.
  package let notification: Notification?

  /// A notification of the server.
  package struct Notification: Sendable {
    private let method: String
    private let params: JSONNode?

    init(method: String, params: JSONNode?) {
      self.method = method
      self.params = params
    }

    /// The notification as a JSON text; its parameters are the original bytes.
    package var json: [UInt8] {
      let params = params?.raw ?? []
      return JSONWriter.bytes(reserving: params.count + 64) {
        $0.object {
          $0.member("jsonrpc", "2.0")
          $0.member("method", method)
          guard !params.isEmpty else { return }
          $0.name("params")
          $0.value(raw: params)
        }
      }
    }
  }
}
