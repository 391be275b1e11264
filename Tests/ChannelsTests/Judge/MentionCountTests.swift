import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: unread mentions of members")
struct MentionCountTests {
  private let rig: JudgeRig

  /// A group of `boss`, who operates it, `ann`, `ben` and `cat`.
  init() throws {
    rig = try .group(asking: [])
    forget()
  }

  private func forget() {
    rig.heard = []
    rig.others = []
    rig.events = []
  }

  @discardableResult
  private func send(
    _ type: MentionType = .users, _ ids: [String] = [], by userID: String
  ) throws -> Message {
    let draft = MessageDraft(type: .user, text: "x", mentionType: type, mentionedUserIDs: ids)
    let order = MessageOrder(.success(draft), requestID: nil)
    return try #require(try rig.perform(.send(order), by: userID).sent).message
  }

  private func edit(
    _ message: Message, _ type: MentionType? = nil, _ ids: [String]? = nil, by userID: String
  ) throws {
    _ = try rig.perform(
      .updateMessage(message.id, MessageChanges(mentionType: type, mentionedUserIDs: ids)),
      by: userID)
  }

  /// Of `ann`, `ben` and `cat`.
  private func counts() throws -> [Int64] {
    try ["ann", "ben", "cat"].map { try rig.own(of: $0).unreadMentionCount }
  }

  private func former() -> JSONNode? { rig.events.last?.params?["former_mentions"] }

  @Test("messages after the position by others count that mention the member or all")
  func counting() throws {
    let first = try send(.users, ["ann", "away", "ben"], by: "boss")
    try send(.channel, by: "ann")
    try send(by: "boss")
    #expect(try counts() == [0, 2, 1])
    try send(.users, ["ann"], by: "ann")
    #expect(try counts() == [0, 2, 1])
    #expect(try rig.own(.markUnread(from: first.id), by: "ann").unreadMentionCount == 1)
    #expect(try rig.own(.markRead(upTo: first.id), by: "ben").unreadMentionCount == 1)
    #expect(try rig.own(.resetHistory, by: "cat").unreadMentionCount == 0)
    #expect(try rig.own(.prefer(.messagesOnly), by: "ben").unreadMentionCount == 0)
    let own = try rig.own(.prefer(.mentionsOnly), by: "ben")
    #expect(own.unreadMentionCount == 1 && own.unreadCount == 0)
  }

  @Test("edits and deletions change the numbers, and their events have the former mentions")
  func changes() throws {
    let message = try send(.users, ["ann"], by: "boss")
    try edit(message, nil, ["ben"], by: "boss")
    #expect(try counts() == [0, 1, 0])
    #expect(former()?["mention_type"]?.string == "users")
    #expect(former()?["mentioned_user_ids"]?.elements.map(\.string) == ["ann"])
    // The list is kept without one.
    try edit(message, .channel, by: "boss")
    #expect(try counts() == [1, 1, 1])
    #expect(former()?["mentioned_user_ids"]?.elements.map(\.string) == ["ben"])
    _ = try rig.perform(.updateMessage(message.id, MessageChanges(text: "y")), by: "boss")
    #expect(former() == nil)
    try edit(message, .users, by: "boss")
    #expect(former()?["mention_type"]?.string == "channel")
    #expect(try counts() == [0, 1, 0])
    _ = try rig.perform(.deleteMessage(message.id), by: "boss")
    let params = rig.events.last?.params
    #expect(params?["mention_type"]?.string == "users" && params?["ordinal"]?.integer == 1)
    #expect(params?["mentioned_user_ids"]?.elements.map(\.string) == ["ben"])
    #expect(try counts() == [0, 0, 0])
    #expect(rig.memberNotices.isEmpty)
  }

  @Test("blockers of the author are notified of their numbers after each event with their mention")
  func blockers() throws {
    rig.contents.add(Block(by: "ben", of: "ann"))
    let message = try send(.channel, by: "ann")
    #expect(rig.heard == ["message.received", "group.unread ben"])
    #expect(try counts() == [0, 0, 1])
    #expect(try rig.own(of: "ben").unreadCount == 1)
    try edit(message, .users, ["cat"], by: "ann")
    try edit(message, nil, ["ben"], by: "ann")
    _ = try rig.perform(.deleteMessage(message.id), by: "ann")
    #expect(
      rig.heard.dropFirst(2) == [
        "message.updated", "group.unread ben", "message.updated", "group.unread ben",
        "message.deleted", "group.unread ben",
      ])
    forget()
    // Without a mention of the blocker, and after it has read the message.
    try send(.users, ["cat"], by: "ann")
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    let read = try send(.users, ["ben"], by: "boss")
    try edit(read, nil, ["cat"], by: "boss")
    #expect(rig.heard.filter { $0 == "group.unread ben" } == ["group.unread ben"])
  }

  @Test("an operator who edits the mentions of another author is notified of its own number")
  func editor() throws {
    let message = try send(.users, ["ann"], by: "ann")
    forget()
    try edit(message, nil, ["boss"], by: "boss")
    #expect(rig.heard == ["message.updated", "group.unread boss"])
    #expect(try rig.own(of: "boss").unreadMentionCount == 1)
    forget()
    try edit(message, nil, ["ann", "boss"], by: "ann")
    #expect(rig.heard == ["message.updated"])
  }

  @Test("a number that was read before the position moved is read again")
  func race() throws {
    let message = try send(.users, ["ben"], by: "boss")
    let view = rig.begin(.group(.view(memberLimit: 0)), by: .participant("ben"))
    let mark = rig.begin(.own(.markRead(upTo: message.id)), by: .participant("ben"))
    guard case .read(let id, let read) = rig.requests.removeFirst() else {
      return #expect(Bool(false))
    }
    // The answer of the read is older than that of the mark.
    let reading = rig.contents.answer(read)
    rig.answerNext()
    rig.handle(.logged(id, reading))
    rig.answerAll()
    #expect(rig.answers[mark]?.own?.unreadMentionCount == 0)
    #expect(rig.answers[view]?.group?.own?.unreadMentionCount == 0)
  }
}
