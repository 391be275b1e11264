package import ParleyProtocol

/// The facts about a message that decide whether it is pushed.
package struct PushMessageFacts: Sendable, Hashable {
  package var kind: ChannelKind
  package var type: MessageType
  /// The author; `nil` for an admin message.
  package var authorID: String?
  /// Unix milliseconds.
  package var createdAt: Int64
  /// See ``Message/ordinal``.
  package var ordinal: Int64
  /// `nil` for a message that mentions no one.
  package var mentions: MessageMentions?
  package var pushOption = PushOption.default
  /// Whether an admin message is pushed.
  package var sendsAdminPush = false
  package var isDurable = true
  package var isDeleted = false
  /// Whether the app's own back end refused the push.
  package var isRefusedByHook = false

  package init(_ message: Message, mentions: MessageMentions? = nil) {
    kind = message.channelKind
    type = message.type
    authorID = message.user?.id
    createdAt = message.createdAt
    ordinal = message.ordinal ?? 0
    self.mentions = mentions ?? MessageMentions(of: message)
  }
}

/// The facts about a user that decide whether a message is pushed to it.
package struct PushRecipient: Sendable, Hashable {
  package var userID: String
  /// `nil` for a user who is no member of the group.
  package var state: MemberState?
  /// See ``Member/visibleFrom``.
  package var visibleFrom: Int64 = 0
  /// The last message that the user has read.
  package var readOrdinal: Int64 = 0
  package var isDeactivated = false
  /// Whether a session of the user, of any kind, is not in the background.
  package var hasForegroundSession = false
  package var blocksAuthor = false
  package var preferences = PushPreferences()
  package var channelTrigger = ChannelPushTriggerOption.default
  package var tokenCount: Int

  package init(userID: String, state: MemberState?, tokenCount: Int) {
    self.userID = userID
    self.state = state
    self.tokenCount = tokenCount
  }
}

/// The settings that decide whether a message is pushed.
package struct PushRules: Sendable, Hashable {
  /// In milliseconds.
  package var maximumAge: Int64 = 3_600_000
  package var pushesOpenChannelMentions = false

  package init() {}

  /// The reason why a message is not pushed to a user; `nil` when it is.
  ///
  /// The reasons that concern the message come first, then those of the channel, then the user's own.
  ///
  /// - Parameters:
  ///   - now: Unix milliseconds.
  ///   - local: The time in the user's time zone.
  package func refusal(
    of message: PushMessageFacts, to user: PushRecipient, at now: Int64, local: LocalTime
  ) -> PushRefusal? {
    refusal(of: message, at: now) ?? refusal(of: message, inChannelOf: user)
      ?? refusal(of: message, by: user, at: now, local: local)
  }

  /// The reason why a message is pushed to no user at all.
  package func refusal(of message: PushMessageFacts, at now: Int64) -> PushRefusal? {
    if message.kind == .open, !pushesOpenChannelMentions || message.mentions == nil {
      return .openChannel
    }
    if !message.isDurable { return .ephemeral }
    if message.isDeleted { return .deleted }
    if message.pushOption == .suppress { return .suppressed }
    if message.kind == .group, message.ordinal == 0 { return .silent }
    if message.type == .admin, !message.sendsAdminPush { return .adminWithoutPush }
    if message.isRefusedByHook { return .hook }
    return now - message.createdAt > maximumAge ? .tooOld : nil
  }

  private func refusal(
    of message: PushMessageFacts, inChannelOf user: PushRecipient
  ) -> PushRefusal? {
    if message.authorID == user.userID { return .author }
    switch message.kind {
    case .open: return message.mentions?.include(user.userID) == true ? nil : .openChannel
    case .group:
      guard user.state == .joined else { return .notJoined }
      return message.createdAt < user.visibleFrom ? .beforeHistory : nil
    }
  }

  private func refusal(
    of message: PushMessageFacts, by user: PushRecipient, at now: Int64, local: LocalTime
  ) -> PushRefusal? {
    if user.isDeactivated { return .deactivated }
    if user.hasForegroundSession { return .hasSession }
    if message.kind == .group, user.readOrdinal >= message.ordinal { return .alreadyRead }
    if user.blocksAuthor { return .authorBlocked }
    switch user.channelTrigger.resolved(user.preferences.trigger) {
    case .off: return .triggerOff
    case .mentionOnly:
      if message.mentions?.include(user.userID) != true { return .notMentioned }
    case .all: break
    }
    if user.preferences.isSnoozed(at: now) { return .snoozed }
    if user.preferences.isUndisturbed(at: local) { return .doNotDisturb }
    return user.tokenCount > 0 ? nil : .noToken
  }
}
