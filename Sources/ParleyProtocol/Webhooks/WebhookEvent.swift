/// The events that can be posted to webhooks, by their names in the body.
///
/// All but `channel.created`, which nobody is in the channel to be told of, are durable events of
/// the socket's too.
package enum WebhookEvent: String, Sendable, CaseIterable {
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
}
