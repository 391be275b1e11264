internal import ParleyProtocol

/// The requests about the user's own part in groups.
extension GroupCalls {
  static func markRead(_ message: MessageReference) -> Call<OwnMembership> {
    own("group.mark_read", message.write)
  }

  static func markUnread(_ message: MessageReference) -> Call<OwnMembership> {
    own("group.mark_unread", message.write)
  }

  static func hide(
    _ url: String, hidesPreviousMessages: Bool, allowsAutoUnhide: Bool
  ) -> Call<OwnMembership> {
    own("group.hide") {
      $0.member("channel_url", url)
      if hidesPreviousMessages { $0.member("hide_previous_messages", true) }
      if !allowsAutoUnhide { $0.member("allow_auto_unhide", false) }
    }
  }

  static func unhide(_ url: String) -> Call<OwnMembership> {
    own("group.unhide") { $0.member("channel_url", url) }
  }

  static func resetHistory(_ url: String) -> Call<OwnMembership> {
    own("group.reset_history") { $0.member("channel_url", url) }
  }

  static func prefer(_ url: String, _ preference: CountPreference) -> Call<OwnMembership> {
    own("group.set_preference") {
      $0.member("channel_url", url)
      $0.member("count_preference", preference.wireValue.rawValue)
    }
  }

  static func prefer(
    _ url: String, _ option: GroupChannelPushTriggerOption
  ) -> Call<OwnMembership> {
    own("group.set_preference") {
      $0.member("channel_url", url)
      $0.member("push_trigger_option", option.rawValue)
    }
  }

  /// A call that waits for a connection would come too late.
  static func typing(_ url: String, _ isTyping: Bool) -> Call<Void> {
    Call(
      "group.typing", .once, timeout: 2_000,
      params: {
        $0.member("channel_url", url)
        $0.member("is_typing", isTyping)
      }, reading: { (_: JSONNode) throws(ParleyError) in })
  }

  /// - Parameter urls: At most 100; `nil` for all groups of the user.
  static func markRead(_ urls: [String]?) -> Call<Void> {
    Call(
      "group.mark_read", .once, params: { if let urls { $0.member("channel_urls", urls) } },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  /// - Parameter marks: The last received message of each group, of at most 100.
  static func markDelivered(_ marks: [DeliveryMarks.Mark]) -> Call<Void> {
    Call(
      "group.mark_delivered", .safe,
      params: {
        $0.member(
          "channels",
          array: {
            for mark in marks {
              $0.object {
                $0.member("channel_url", mark.url)
                $0.member("message_id", mark.messageID)
              }
            }
          })
      }, reading: { (_: JSONNode) throws(ParleyError) in })
  }

  static func watchTotals(_ isOn: Bool) -> Call<Void> {
    Call(
      "group.watch_totals", .safe, params: { $0.member("on", isOn) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }

  static func totals(customTypes: [String]) -> Call<UnreadTotals> {
    Call(
      "group.unread", .safe,
      params: { if !customTypes.isEmpty { $0.member("custom_types", customTypes) } },
      reading: UnreadTotals.init(json:))
  }

  private static func own(
    _ method: String, _ params: (inout JSONWriter) -> Void
  ) -> Call<OwnMembership> {
    Call(
      method, .once, params: params,
      reading: { (node: JSONNode) throws(ParleyError) in
        try AnswerReader.own(AnswerReader.member("my", of: node))
      })
  }
}

/// The numbers of a user over all groups that it has joined and not hidden.
public struct UnreadTotals: Sendable, Hashable {
  /// Messages that the user has not read, in groups whose ``GroupChannel/myCountPreference`` counts them.
  public let unreadMessageCount: Int
  /// Those of them that mention the user, in groups whose ``GroupChannel/myCountPreference`` counts them.
  public let unreadMentionCount: Int
  /// Groups with unread messages.
  public let unreadChannelCount: Int
  /// Invitations that the user has neither accepted nor declined.
  public let invitationCount: Int

  /// The numbers of groups with a custom type, by type; empty in the answer of
  /// ``ParleyClient/ParleyClient/unreadTotals(customTypes:)``.
  ///
  /// At most 20 types, those with the most unread messages.
  public let byCustomType: [String: UnreadTotals]

  init(json: JSONNode) throws(ParleyError) {
    unreadMessageCount = try AnswerReader.count("unread_message_count", of: json)
    unreadMentionCount = try AnswerReader.count("unread_mention_count", of: json)
    unreadChannelCount = try AnswerReader.count("unread_channel_count", of: json)
    invitationCount = try AnswerReader.count("invitation_count", of: json)
    byCustomType = [:]
  }

  init(_ totals: Event.Totals) {
    self.init(totals.all, byCustomType: totals.byCustomType.mapValues { UnreadTotals($0) })
  }

  private init(_ numbers: GroupNumbers, byCustomType: [String: UnreadTotals] = [:]) {
    unreadMessageCount = Int(numbers.unreadMessageCount)
    unreadMentionCount = Int(numbers.unreadMentionCount)
    unreadChannelCount = Int(numbers.unreadChannelCount)
    invitationCount = Int(numbers.invitationCount)
    self.byCustomType = byCustomType
  }
}
