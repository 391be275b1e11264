/// The names of the events: `method` on the socket, `event` in a webhook, `kind` in the log.
package enum EventName: String, Sendable, CaseIterable {
  case messageReceived = "message.received"
  case messageUpdated = "message.updated"
  case messageDeleted = "message.deleted"
  case channelCreated = "channel.created"
  case channelChanged = "channel.changed"
  case channelDeleted = "channel.deleted"
  case channelFrozen = "channel.frozen"
  case channelUnfrozen = "channel.unfrozen"
  case userMuted = "channel.user_muted"
  case userUnmuted = "channel.user_unmuted"
  case userBanned = "channel.user_banned"
  case userUnbanned = "channel.user_unbanned"
  case operatorsChanged = "channel.operators_changed"
  case groupCreated = "group.created"
  case groupInvited = "group.invited"
  case groupJoined = "group.joined"
  case groupDeclined = "group.declined"
  case groupLeft = "group.left"
  case groupMemberCount = "group.member_count"
  case groupLost = "group.lost"
  case groupUnread = "group.unread"
  case groupHidden = "group.hidden"
  case groupUnhidden = "group.unhidden"
  case groupRead = "group.read"
  case groupDelivered = "group.delivered"
  case groupTyping = "group.typing"
  case groupReady = "group.ready"
  case groupTotals = "group.totals"
  case userEntered = "channel.user_entered"
  case userExited = "channel.user_exited"
  case participantCount = "channel.participant_count"
  case throttled = "channel.throttled"
  case messageWithheld = "message.withheld"
  case mentionReceived = "mention.received"
  case sessionExpiring = "session.expiring"
  case sessionFileKey = "session.file_key"
  case serverDraining = "server.draining"
  case messageReport = "message:report"
  case userReport = "user:report"
  case channelReport = "channel:report"

  /// Whether the event has a number in its channel, and can be recovered by clients that missed it.
  package var isDurable: Bool { persistence == .numbered }

  /// Whether webhooks can subscribe to the event.
  package var isPosted: Bool { persistence != .transient }

  /// The way in which an event is recorded.
  private enum Persistence {
    /// With a number in its channel and a record in the log.
    case numbered
    /// Without a record, but posted to webhooks.
    case posted
    /// Not recorded or posted.
    case transient
  }

  private var persistence: Persistence {
    switch self {
    case .messageReceived, .messageUpdated, .messageDeleted, .channelChanged, .channelDeleted,
      .channelFrozen, .channelUnfrozen, .userMuted, .userUnmuted, .userBanned, .userUnbanned,
      .operatorsChanged, .groupInvited, .groupJoined, .groupDeclined, .groupLeft:
      .numbered
    // A channel that is being created has no receivers, so the event is only sent to webhooks.
    case .channelCreated, .groupCreated: .posted
    // Moderators work on reports, and clients receive none.
    case .messageReport, .userReport, .channelReport: .posted
    case .groupMemberCount, .groupLost, .groupUnread, .groupHidden, .groupUnhidden, .groupRead,
      .groupDelivered, .groupTyping, .groupReady, .groupTotals, .userEntered, .userExited,
      .participantCount, .throttled, .messageWithheld, .mentionReceived, .sessionExpiring,
      .sessionFileKey, .serverDraining:
      .transient
    }
  }

  /// The events that webhooks can subscribe to.
  package static let posted = allCases.filter(\.isPosted)

  /// The name of an event from its notification, which the server has encoded; `nil` for other bytes.
  package init?(of notification: [UInt8]) {
    let start = notification.dropFirst(Self.notificationStart.count)
    guard notification.starts(with: Self.notificationStart),
      let end = start.firstIndex(of: UInt8(ascii: "\""))
    else { return nil }
    self.init(rawValue: String(decoding: start[..<end], as: UTF8.self))
  }

  private static let notificationStart = Array(#"{"jsonrpc":"2.0","method":""#.utf8)
}
