import ParleyProtocol
import Testing

@testable import Push

@Suite("Whom a message is pushed to")
struct PushJudgementTests {
  private let now: Int64 = 1_000_000_000_000

  private func message(
    _ type: MessageType = .user, mentions: [User] = [], all: Bool = false, ordinal: Int64? = 7
  ) -> PushMessageFacts {
    PushMessageFacts(
      Message(
        id: 1, type: type, channelURL: "team", user: type == .admin ? nil : User(id: "jeff"),
        text: "hello", mentionType: all ? .channel : .users, mentionedUsers: mentions,
        createdAt: now - 1_000, ordinal: ordinal))
  }

  private func user(_ id: String = "mia", _ state: MemberState? = .joined) -> PushRecipient {
    PushRecipient(userID: id, state: state, tokenCount: 1)
  }

  private func refusal(
    _ message: PushMessageFacts, _ user: PushRecipient, _ rules: PushRules = PushRules()
  ) -> PushRefusal? {
    rules.refusal(of: message, to: user, at: now, local: LocalTime(at: now, in: .utc))
  }

  /// The reason after a change of a message that would be pushed.
  private func afterChange(_ change: (inout PushMessageFacts) -> Void) -> PushRefusal? {
    var message = message()
    change(&message)
    return refusal(message, user())
  }

  /// The reason after a change of a user to whom the message would be pushed.
  private func afterChange(_ change: (inout PushRecipient) -> Void) -> PushRefusal? {
    var user = user()
    change(&user)
    return refusal(message(), user)
  }

  @Test("a member without a session gets the messages of others")
  func pushed() {
    #expect(refusal(message(), user()) == nil)
    #expect(refusal(message(.file), user()) == nil)
    #expect(refusal(message(), user("jeff")) == .author)
  }

  @Test("reasons that concern the message")
  func messages() {
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.isDurable = false } == .ephemeral)
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.isDeleted = true } == .deleted)
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.pushOption = .suppress }
        == .suppressed)
    #expect(afterChange { (message: inout PushMessageFacts) in message.ordinal = 0 } == .silent)
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.isRefusedByHook = true } == .hook)
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.createdAt = now - 3_600_000 }
        == nil)
    #expect(
      afterChange { (message: inout PushMessageFacts) in message.createdAt = now - 3_600_001 }
        == .tooOld)
  }

  @Test("admin messages only with send_push")
  func admin() {
    var admin = message(.admin)
    #expect(refusal(admin, user()) == .adminWithoutPush)
    admin.sendsAdminPush = true
    #expect(refusal(admin, user()) == nil)
    #expect(refusal(admin, user("jeff")) == nil)
  }

  @Test("reasons that concern the user")
  func users() {
    #expect(refusal(message(), user("mia", .invited)) == .notJoined)
    #expect(refusal(message(), user("mia", nil)) == .notJoined)
    #expect(
      afterChange { (user: inout PushRecipient) in user.visibleFrom = now } == .beforeHistory)
    #expect(
      afterChange { (user: inout PushRecipient) in user.hasForegroundSession = true }
        == .hasSession)
    #expect(afterChange { (user: inout PushRecipient) in user.readOrdinal = 7 } == .alreadyRead)
    #expect(afterChange { (user: inout PushRecipient) in user.readOrdinal = 6 } == nil)
    #expect(
      afterChange { (user: inout PushRecipient) in user.blocksAuthor = true } == .authorBlocked)
    #expect(
      afterChange { (user: inout PushRecipient) in user.isDeactivated = true } == .deactivated)
    #expect(afterChange { (user: inout PushRecipient) in user.tokenCount = 0 } == .noToken)
    #expect(
      afterChange { (user: inout PushRecipient) in
        user.preferences.isSnoozeEnabled = true
        user.preferences.snoozeEnd = now + 1
      } == .snoozed)
    #expect(
      afterChange { (user: inout PushRecipient) in user.preferences.doNotDisturb = true }
        == .doNotDisturb)
  }

  @Test("the option of the channel replaces the user's own")
  func triggers() {
    let mentioning = message(mentions: [User(id: "mia")])
    let all = message(all: true)
    let other = message(mentions: [User(id: "zoe")])
    let table:
      [(PushTriggerOption, ChannelPushTriggerOption, plain: PushRefusal?, mentioned: PushRefusal?)] =
        [
          (.all, .default, nil, nil),
          (.mentionOnly, .default, .notMentioned, nil),
          (.off, .default, .triggerOff, .triggerOff),
          (.off, .all, nil, nil),
          (.off, .mentionOnly, .notMentioned, nil),
          (.all, .mentionOnly, .notMentioned, nil),
          (.all, .off, .triggerOff, .triggerOff),
        ]
    for row in table {
      var user = user()
      (user.preferences.trigger, user.channelTrigger) = (row.0, row.1)
      #expect(refusal(message(), user) == row.plain, "\(row)")
      #expect(refusal(other, user) == row.plain, "\(row)")
      #expect(refusal(mentioning, user) == row.mentioned, "\(row)")
      #expect(refusal(all, user) == row.mentioned, "\(row)")
    }
  }

  @Test("in open channels nothing, or mentions if the operator wants them")
  func openChannels() {
    let mentioning = message(mentions: [User(id: "mia")], ordinal: nil)
    #expect(refusal(mentioning, user("mia", nil)) == .openChannel)
    var rules = PushRules()
    rules.pushesOpenChannelMentions = true
    #expect(refusal(mentioning, user("mia", nil), rules) == nil)
    #expect(refusal(mentioning, user("zoe", nil), rules) == .openChannel)
    #expect(refusal(message(ordinal: nil), user("mia", nil), rules) == .openChannel)
  }

  @Test("the names of reasons are stable")
  func names() {
    let names = PushRefusal.allCases.map(\.rawValue)
    #expect(
      names == [
        "open_channel", "ephemeral", "not_joined", "before_history", "author", "suppressed",
        "silent", "admin_without_send_push", "hook", "deleted", "too_old", "deactivated",
        "has_session", "already_read", "author_blocked", "trigger_off", "not_mentioned", "snoozed",
        "do_not_disturb", "no_token", "sender_limit",
      ])
  }
}
