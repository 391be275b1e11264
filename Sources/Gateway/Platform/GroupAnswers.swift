import Channels
import ParleyProtocol
import Store

/// The parts of a group that an answer of the Platform API shows besides the channel.
struct GroupParts: Sendable {
  var members = false
  /// Which of the members are shown.
  var activeMode = UserQuery.ActiveMode.all
  /// Whether the membership of the call's user is shown.
  var own = false
  /// Of a group with receipts.
  var receipts: ShownReceipts = []

  static let channel = GroupParts()
  static let members = GroupParts(members: true)
}

/// The receipts that an answer shows.
struct ShownReceipts: OptionSet, Sendable {
  let rawValue: Int

  /// How far members have read.
  static let read = ShownReceipts(rawValue: 1)
  /// How far clients of members have received messages.
  static let delivered = ShownReceipts(rawValue: 2)
}

extension ShownReceipts {
  /// - Parameter query: The parameters of a request.
  init(_ query: Fields) throws(ServiceError) {
    self = []
    if try query.boolean("show_read_receipt") == true { insert(.read) }
    if try query.boolean("show_delivery_receipt") == true { insert(.delivered) }
  }
}

extension Shard {
  /// Answers a request with a group at home here and its members.
  func viewGroup(_ url: String, replyTo address: ExchangeAddress) {
    let completion = Completion(address, services.shards)
    channels.withChannel(url) { result in
      switch result {
      case .success(let channel): channel.viewGroup(.members, completion)
      case .failure(let error): completion.fail(error)
      }
    }
  }
}

extension ChannelHost {
  /// Answers with the group.
  ///
  /// - Parameter user: The user whose part in the group is shown, if any.
  func viewGroup(_ parts: GroupParts, onBehalfOf user: User? = nil, _ completion: Completion) {
    let limit = parts.members ? Limits.memberListCount : 0
    perform(.group(.view(memberLimit: limit)), onBehalfOf: user) {
      $0.answer($1, parts, completion)
    }
  }

  /// Answers with the group that a command returns, and with the known facts about the users in its last
  /// message.
  func answer(
    _ result: Result<JudgeAnswer, ServiceError>, _ parts: GroupParts, _ completion: Completion
  ) {
    let group: GroupAnswer
    switch result {
    case .success(.group(let answer)): group = answer
    case .success: return completion.fail(.internalError)
    case .failure(let error): return completion.fail(error)
    }
    let (operatorIDs, receipts) = (operatorIDs, parts.receipts.isEmpty ? nil : receipts)
    let members = parts.activeMode == .all ? [] : group.members ?? []
    let userIDs = (group.lastMessage?.userIDs ?? []).union(members.map(\.member.user.id))
    perform(DeactivatedUsers(among: userIDs)) { _, result in
      completion(result) { deactivatedIDs, writer in
        var group = group
        group.members?.removeAll {
          !parts.activeMode.includes(isActive: !deactivatedIDs.contains($0.member.user.id))
        }
        let authors = MessageAuthors(operatorIDs, deactivatedIDs: deactivatedIDs)
        group.encodeForPlatform(parts, authors, receipts: receipts, into: &writer)
      }
    }
  }
}

extension GroupAnswer {
  /// Writes the group as the Platform API shows it, with times in seconds but for those of messages,
  /// receipts, invitations and histories.
  ///
  /// - Parameter receipts: How far the members have read and received messages; `nil` if it is not shown.
  func encodeForPlatform(
    _ parts: GroupParts, _ authors: MessageAuthors, receipts: GroupReceipts? = nil,
    into writer: inout JSONWriter
  ) {
    writer.object {
      encodeChannel(into: &$0)
      if let receipts, parts.receipts.contains(.read) {
        $0.name("read_receipt")
        receipts.read.encode(into: &$0)
      }
      if let delivered = receipts?.delivered, !delivered.isEmpty,
        parts.receipts.contains(.delivered)
      {
        $0.name("delivery_receipt")
        delivered.encode(into: &$0)
      }
      if let lastMessage {
        $0.name("last_message")
        lastMessage.encodeForPlatform(authors, into: &$0)
      }
      if parts.own { encodeOwn(into: &$0) }
      guard parts.members, let members else { return }
      $0.name("members")
      $0.array {
        for member in members {
          $0.object { member.encodeForPlatform(parts.receipts, into: &$0) }
        }
      }
    }
  }

  private func encodeChannel(into writer: inout JSONWriter) {
    let channel = info.channel
    guard let group = channel.group else { return }
    writer.member("channel_url", channel.url)
    writer.member("name", channel.name)
    writer.member("cover_url", channel.coverURL)
    writer.member("custom_type", channel.customType)
    writer.member("data", channel.data)
    writer.member("is_distinct", group.isDistinct)
    writer.member("is_public", group.isPublic)
    writer.member("is_super", group.isSuper)
    writer.member("is_ephemeral", channel.isEphemeral)
    writer.member("is_access_code_required", !group.accessCode.isEmpty)
    writer.member("freeze", channel.isFrozen)
    writer.member("member_count", group.memberCount)
    writer.member("joined_member_count", group.joinedCount)
    writer.member("max_length_message", info.maxMessageLength)
    writer.name("operators")
    channel.operators.encode(into: &writer)
    writer.user("created_by", ifKnown: group.createdBy)
    writer.member("metadata", channel.metadata)
    channel.encodeSurvival(into: &writer)
    writer.member("created_at", channel.createdAt / 1000)
  }

  private func encodeOwn(into writer: inout JSONWriter) {
    writer.member("member_state", (own?.state).text)
    writer.member("my_role", own?.isOperator == true ? "operator" : "")
    writer.member("is_muted", (own?.mutedUntil ?? 0) > 0)
    guard let own else { return }
    if own.state == .joined {
      writer.member("joined_ts", own.joinedAt / 1000)
      writer.member("ts_message_offset", own.visibleFrom)
      writer.member("unread_message_count", own.unreadCount)
      writer.member("unread_mention_count", own.unreadMentionCount)
      writer.member("user_last_read", own.readAt)
      writer.member("hidden_state", own.hiddenState.rawValue)
      writer.member("is_hidden", own.hiddenState != .unhidden)
      writer.member("count_preference", own.countPreference.platformName)
      own.pushTrigger.encodeForPlatform(into: &writer)
    }
    if own.invitedAt > 0 { writer.member("invited_at", own.invitedAt) }
    writer.user("inviter", ifKnown: own.inviter)
  }
}

extension GroupMember {
  /// Writes the member as the Platform API shows it, into an object.
  func encodeForPlatform(_ receipts: ShownReceipts, into writer: inout JSONWriter) {
    writer.member("user_id", member.user.id)
    writer.member("nickname", member.user.nickname)
    writer.member("profile_url", member.user.profileURL)
    writer.member("metadata", member.user.metadata)
    writer.member("state", member.state.rawValue)
    writer.member("role", isOperator ? "operator" : "")
    writer.member("is_muted", isMuted)
    encodePresence(into: &writer)
    if receipts.contains(.read), let readAt { writer.member("read_ts", readAt) }
    if receipts.contains(.delivered), let deliveredAt {
      writer.member("delivered_ts", deliveredAt)
    }
  }

  /// Writes the choice of the member for pushes of the group, into its object.
  func encodePushPreference(into writer: inout JSONWriter) {
    writer.member("push_enabled", member.pushTrigger != .off)
    member.pushTrigger.encodeForPlatform(into: &writer)
  }
}

extension ListedMember {
  /// Writes the blocks between the member and the user of the call, into the member's object.
  func encodeBlocks(into writer: inout JSONWriter) {
    writer.member("is_blocked_by_me", isBlocked)
    writer.member("is_blocking_me", isBlocking)
  }
}

extension ChannelPushTriggerOption {
  /// Writes the option as the documented API has it, without a word for the default.
  func encodeForPlatform(into writer: inout JSONWriter) {
    if self != .default { writer.member("push_trigger_option", rawValue) }
  }
}

extension MemberState? {
  /// The state, or `none` for a user who is no member.
  var text: String { self?.rawValue ?? "none" }
}

extension JSONWriter {
  /// Writes a user without metadata as a member; nothing for `nil`.
  fileprivate mutating func user(_ name: StaticString, ifKnown user: User?) {
    guard let user else { return }
    self.name(name)
    user.encodeReference(into: &self)
  }
}

extension CountPreference {
  /// The name in the Platform API.
  var platformName: String {
    switch self {
    case .all: "all"
    case .messagesOnly: "unread_message_count_only"
    case .mentionsOnly: "unread_mentioned_count_only"
    case .off: "false"
    }
  }
}
