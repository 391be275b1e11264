/// The durable events other than `message.received`, by their names on the wire.
package enum EventKind: String, Sendable {
  case messageUpdated = "message.updated"
  case messageDeleted = "message.deleted"
  case channelChanged = "channel.changed"
  case channelDeleted = "channel.deleted"
  case channelFrozen = "channel.frozen"
  case channelUnfrozen = "channel.unfrozen"
  case userMuted = "channel.user_muted"
  case userUnmuted = "channel.user_unmuted"
  case userBanned = "channel.user_banned"
  case userUnbanned = "channel.user_unbanned"
  case operatorsChanged = "channel.operators_changed"
}
