package import ParleyProtocol

/// A group as one of its members, a stranger, or the Platform API sees it.
package struct GroupAnswer: Sendable {
  /// The effect of the answered call, as far as it is part of the answer.
  package enum Outcome: Sendable {
    case viewed
    /// A message has shown the group again, which the user had hidden.
    case unhidden
    /// The user's clients calculate a wrong number of unread messages from the last event.
    case recounted
    /// Whether `group.create` has made the group, or has found it.
    case created(Bool)
    /// By id; those who were members already were skipped.
    case invited([String], joined: [String], skipped: [String])
  }

  package let info: ChannelInfo
  package let lastOrdinal: Int64
  /// The last event of the group.
  package let seq: Int64
  package let lastMessage: Message?
  /// `nil` for a user who is no member, and for a call that is for no user.
  package let own: OwnMembership?
  /// Some members with their roles and mutes; `nil` in a super group, and for a user on a connection who is no
  /// member.
  package var members: [GroupMember]?
  package let outcome: Outcome

  package init(
    info: ChannelInfo, lastOrdinal: Int64, seq: Int64, lastMessage: Message?,
    own: OwnMembership?, members: [GroupMember]?, outcome: Outcome = .viewed
  ) {
    self.info = info
    self.lastOrdinal = lastOrdinal
    self.seq = seq
    self.lastMessage = lastMessage
    self.own = own
    self.members = members
    self.outcome = outcome
  }
}

/// A member of a group with its role.
package struct GroupMember: Sendable {
  package let member: Member
  package let isOperator: Bool
  package let isMuted: Bool
  /// Whether the user has a session.
  package let isOnline: Bool
  /// See ``VisibleReceipts/readAt(of:)``.
  package let readAt: Int64?
  /// See ``VisibleReceipts/deliveredAt(of:)``.
  package let deliveredAt: Int64?

  package init(
    _ member: Member, isOperator: Bool, isMuted: Bool, isOnline: Bool, _ receipts: VisibleReceipts
  ) {
    self.member = member
    self.isOperator = isOperator
    self.isMuted = isMuted
    self.isOnline = isOnline
    readAt = receipts.readAt(of: member)
    deliveredAt = receipts.deliveredAt(of: member)
  }

  /// Writes whether the user is online, and otherwise since when it is not.
  package func encodePresence(into writer: inout JSONWriter) {
    writer.member("is_online", isOnline)
    writer.member("last_seen_at", isOnline ? 0 : member.lastSeenAt)
  }

  /// Writes the member in the form of the API contract.
  ///
  /// - Parameter isBlocked: Whether the caller blocks the member; `nil` where this is not shown.
  package func encode(isBlocked: Bool? = nil, into writer: inout JSONWriter) {
    writer.object {
      $0.member("user_id", member.user.id)
      $0.member("nickname", member.user.nickname)
      $0.member("profile_url", member.user.profileURL)
      $0.member("state", member.state.rawValue)
      $0.member("role", isOperator ? "operator" : "none")
      $0.member("is_muted", isMuted)
      encodePresence(into: &$0)
      $0.member("joined_at", member.joinedAt)
      $0.member("invited_at", member.invitedAt)
      if let readAt { $0.member("read_at", readAt) }
      if let deliveredAt { $0.member("delivered_at", deliveredAt) }
      if let isBlocked { $0.member("is_blocked_by_me", isBlocked) }
    }
  }
}

extension GroupAnswer {
  /// The result of a call that returns a group.
  ///
  /// - Parameter epoch: Identifies the life of the group's count of events.
  package func encodedAsResult(epoch: String) -> [UInt8] {
    JSONWriter.bytes(reserving: 2_048) {
      $0.object {
        $0.name("channel")
        encode(epoch: epoch, into: &$0)
        encodeOutcome(into: &$0)
      }
    }
  }

  /// Writes the group as a client sees it.
  package func encode(epoch: String, into writer: inout JSONWriter) {
    writer.object { encodeChannel(epoch: epoch, into: &$0) }
  }

  private func encodeChannel(epoch: String, into writer: inout JSONWriter) {
    info.encodeMembers(into: &writer)
    writer.name("last_message")
    if let lastMessage { lastMessage.encode(into: &writer) } else { writer.null() }
    writer.member("last_ordinal", lastOrdinal)
    writer.member("epoch", epoch)
    writer.member("seq", seq)
    guard let own else { return }
    writer.name("my")
    own.encode(into: &writer)
    guard let members else { return }
    writer.member("members", array: { Self.encode(members, into: &$0) })
  }

  /// Writes members until they take half of an answer.
  private static func encode(_ members: [GroupMember], into writer: inout JSONWriter) {
    var rest = Limits.answerByteCount / 2
    for member in members {
      let encoded = JSONWriter.bytes { member.encode(into: &$0) }
      rest -= encoded.count + 1
      guard rest >= 0 else { return }
      writer.value(raw: encoded)
    }
  }

  private func encodeOutcome(into writer: inout JSONWriter) {
    switch outcome {
    case .viewed, .unhidden, .recounted: break
    case .created(let isNew): writer.member("created", isNew)
    case .invited(let invited, let joined, let skipped):
      writer.member("invited", invited)
      writer.member("joined", joined)
      writer.member("skipped", skipped)
    }
  }
}
