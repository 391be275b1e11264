/// Whether a member has hidden a group.
package enum HiddenState: String, Sendable, CaseIterable {
  case unhidden
  /// The next message ends it.
  case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide"
  /// Only the member ends it: the group is archived.
  case hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
}

/// A user's own part in a group: `my` of the API contract.
package struct OwnMembership: Sendable, Hashable {
  package var state: MemberState
  package var isOperator: Bool
  /// With its profile; `nil` if there is none, or it was deleted.
  package var inviter: User?
  /// Unix milliseconds; 0 for a user who was not invited.
  package var invitedAt: Int64
  /// Unix milliseconds; 0 for an invited member.
  package var joinedAt: Int64
  /// The last message of the group when this state was made, by which a client compares two states.
  package var lastOrdinal: Int64
  /// 0 if the member does not want to know.
  package var unreadCount: Int64
  /// The number of unread messages that mention the member; 0 if the member does not want to know.
  package var unreadMentionCount: Int64
  /// The last message that the member has read, or the last one before its history, whichever is later.
  package var readOrdinal: Int64
  /// See ``ReadPosition/readAt``.
  package var readAt: Int64
  /// See ``Member/visibleFrom``.
  package var visibleFrom: Int64
  package var hiddenState: HiddenState
  /// The end of the user's mute, in Unix milliseconds; 0 if it is not muted.
  package var mutedUntil: Int64
  package var countPreference: CountPreference
  package var pushTrigger: ChannelPushTriggerOption

  /// - Parameters:
  ///   - lastOrdinal: The last message of the group.
  ///   - unreadCount: Whatever the member prefers to know, as the next one.
  package init(
    _ member: Member, inviter: User?, isOperator: Bool, mutedUntil: Int64, lastOrdinal: Int64,
    unreadCount: Int64, unreadMentionCount: Int64
  ) {
    state = member.state
    self.isOperator = isOperator
    self.inviter = inviter
    invitedAt = member.invitedAt
    joinedAt = member.joinedAt
    self.lastOrdinal = lastOrdinal
    self.unreadCount = member.countPreference.countsMessages ? unreadCount : 0
    self.unreadMentionCount = member.countPreference.countsMentions ? unreadMentionCount : 0
    readOrdinal = max(member.position.ordinal, member.position.floor)
    readAt = member.position.readAt
    visibleFrom = member.visibleFrom
    hiddenState = member.hiding.state(lastOrdinal: lastOrdinal)
    self.mutedUntil = mutedUntil
    countPreference = member.countPreference
    pushTrigger = member.pushTrigger
  }

  /// Parses `my`.
  package init(json node: JSONNode) throws(ResourceError) {
    let reader = try ResourceReader("my", node)
    state = try reader.choice("state")
    isOperator = try reader.text("role") == "operator"
    inviter = try node.present("inviter").map { node throws(ResourceError) in
      try User(json: node)
    }
    invitedAt = try reader.integer("invited_at")
    joinedAt = try reader.integer("joined_at")
    lastOrdinal = try reader.integer("last_ordinal")
    unreadCount = try reader.integer("unread_message_count")
    unreadMentionCount = try reader.integer("unread_mention_count")
    readOrdinal = try reader.integer("read_ordinal")
    readAt = try reader.integer("read_at")
    visibleFrom = try reader.integer("visible_from")
    hiddenState = try reader.choice("hidden_state")
    mutedUntil = try reader.integer("muted_until")
    countPreference = try reader.choice("count_preference")
    // Missing in what servers without pushes say.
    pushTrigger =
      node.present("push_trigger_option") == nil
      ? .default : try reader.choice("push_trigger_option")
  }

  /// Writes `my`.
  package func encode(into writer: inout JSONWriter) {
    writer.object {
      $0.member("state", state.rawValue)
      $0.member("role", isOperator ? "operator" : "none")
      $0.name("inviter")
      if let inviter { inviter.encodeReference(into: &$0) } else { $0.null() }
      $0.member("invited_at", invitedAt)
      $0.member("joined_at", joinedAt)
      $0.member("last_ordinal", lastOrdinal)
      $0.member("unread_message_count", unreadCount)
      $0.member("unread_mention_count", unreadMentionCount)
      $0.member("read_ordinal", readOrdinal)
      $0.member("read_at", readAt)
      $0.member("visible_from", visibleFrom)
      $0.member("hidden_state", hiddenState.rawValue)
      $0.member("is_muted", mutedUntil > 0)
      $0.member("muted_until", mutedUntil)
      $0.member("count_preference", countPreference.rawValue)
      $0.member("push_trigger_option", pushTrigger.rawValue)
    }
  }
}

extension ResourceReader {
  /// A required text that is one of the values of an enumeration.
  func choice<Choice: RawRepresentable<String>>(
    _ name: String
  ) throws(ResourceError) -> Choice {
    guard let choice = Choice(rawValue: try text(name)) else { throw wrong(name) }
    return choice
  }
}
