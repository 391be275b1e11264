/// The reason why a message is not pushed to a member of its group.
///
/// The raw values are part of the API contract of `push explain`.
package enum PushRefusal: String, Sendable, CaseIterable {
  /// The message is in an open channel, and does not mention the user, or such mentions are not pushed.
  case openChannel = "open_channel"
  /// The message is not stored.
  case ephemeral
  /// The user is not a joined member.
  case notJoined = "not_joined"
  /// The message is older than the user's view of the channel.
  case beforeHistory = "before_history"
  case author
  /// The sender asked for no pushes.
  case suppressed
  case silent
  /// An admin message without `send_push`.
  case adminWithoutPush = "admin_without_send_push"
  /// The app's own back end refused the push.
  case hook
  case deleted
  /// Older than `push.max_age_seconds`.
  case tooOld = "too_old"
  case deactivated
  /// The user has a session that is not in the background.
  case hasSession = "has_session"
  case alreadyRead = "already_read"
  case authorBlocked = "author_blocked"
  /// The user's option is `off`, for the channel or for all.
  case triggerOff = "trigger_off"
  case notMentioned = "not_mentioned"
  case snoozed
  case doNotDisturb = "do_not_disturb"
  case noToken = "no_token"
  /// The sender's messages are pushed no more than `push.per_sender_per_minute` times a minute.
  case senderLimit = "sender_limit"
}
