import Testing

@testable import ParleyClient

@Suite("The number of unread messages")
struct UnreadCountTests {
  /// A step of a test vector.
  enum Step: Sendable {
    /// A message of another user.
    case receive(Int64)
    /// A message of the user.
    case receiveOwn(Int64)
    /// The deletion of a message of another user.
    case remove(Int64)
    /// A message that does not count, as one without a mention.
    case skip(Int64)
    /// A change after which a message counts.
    case add(Int64)
    /// A position, and the server's number up to the last message.
    case move(to: Int64, count: Int64, last: Int64)
    /// The same with another history or preference.
    case restart(at: Int64, count: Int64, last: Int64)
  }

  /// Steps after an answer with the last ordinal 5, the position 3 and two unread messages, and the
  /// number after each step.
  static let vectors: [[(Step, Int)]] = [
    // A message that arrives twice counts once, and one without an ordinal does not count.
    [(.receive(6), 3), (.receive(6), 3), (.receive(5), 3), (.receive(0), 3), (.receive(8), 4)],
    // The user has read up to its own message, also when the answer comes after a later event.
    [(.receive(6), 3), (.receiveOwn(7), 0), (.receive(8), 1), (.receive(7), 1)],
    [(.receive(7), 3), (.receiveOwn(6), 1), (.receiveOwn(6), 1), (.receiveOwn(0), 1)],
    // The answer comes before the event of an earlier message, which the user has read.
    [(.receiveOwn(7), 0), (.receive(6), 0), (.receive(8), 1)],
    // Deleted messages that were unread take one, those that were read do not.
    [(.remove(5), 1), (.remove(3), 1), (.remove(4), 0), (.remove(1), 0)],
    [(.receive(6), 3), (.remove(6), 2), (.remove(6), 2), (.remove(7), 2), (.receive(7), 3)],
    // The server's position and number.
    [
      (.move(to: 5, count: 0, last: 5), 0), (.receive(6), 1), (.move(to: 6, count: 0, last: 6), 0),
      (.remove(6), 0),
    ],
    [(.move(to: 4, count: 1, last: 5), 1), (.receive(6), 2)],
    [
      (.receive(6), 3), (.move(to: 6, count: 0, last: 6), 0), (.move(to: 4, count: 2, last: 6), 2),
      (.receive(7), 3),
    ],
    // A message arrives between the server's decision and its answer.
    [(.receive(6), 3), (.receive(7), 4), (.move(to: 6, count: 0, last: 6), 1)],
    [(.receive(6), 3), (.move(to: 5, count: 0, last: 5), 1), (.receive(7), 2)],
    [(.receive(6), 3), (.move(to: 2, count: 3, last: 5), 4), (.remove(6), 3)],
    // The server has counted messages whose events arrive later, or were part of an answer.
    [
      (.move(to: 7, count: 0, last: 7), 0), (.receive(6), 0), (.receive(7), 0), (.receive(8), 1),
    ],
    [(.move(to: 6, count: 1, last: 7), 1), (.receive(6), 1), (.receive(7), 1), (.receive(8), 2)],
    // Messages without a mention, and changes of mentions.
    [
      (.skip(6), 2), (.receive(6), 2), (.receive(7), 3), (.add(6), 4), (.add(6), 4),
      (.remove(6), 3),
    ],
    [(.add(4), 3), (.add(3), 3), (.add(6), 3), (.remove(4), 2), (.receiveOwn(7), 0), (.add(6), 0)],
    // A new history begins without unread messages, whatever the position is.
    [
      (.receive(6), 3), (.restart(at: 3, count: 0, last: 6), 0), (.receive(6), 0),
      (.receive(7), 1),
    ],
    [(.receive(6), 3), (.receive(7), 4), (.restart(at: 6, count: 0, last: 6), 1)],
  ]

  @Test("follows the test vectors", arguments: vectors)
  func vector(steps: [(Step, Int)]) {
    var unread = UnreadCount(lastOrdinal: 5, readOrdinal: 3, count: 2)
    #expect(unread.count == 2)
    for (step, count) in steps {
      switch step {
      case .receive(let ordinal): unread.receive(ordinal)
      case .receiveOwn(let ordinal): unread.receiveOwn(ordinal)
      case .remove(let ordinal): unread.remove(ordinal)
      case .skip(let ordinal): unread.skip(ordinal)
      case .add(let ordinal): unread.add(ordinal)
      case .move(let ordinal, let count, let last):
        unread.move(to: ordinal, count: count, last: last)
      case .restart(let ordinal, let count, let last):
        unread.restart(at: ordinal, count: count, last: last)
      }
      #expect(unread.count == count, "after \(step) of \(steps)")
    }
  }

  @Test("is uncertain after the deletion of a message that may precede the history")
  func uncertain() {
    let late = UnreadCount(lastOrdinal: 5, readOrdinal: 0, count: 2)
    #expect(late.isUncertain(3) && late.isUncertain(5) && !late.isUncertain(6))
    let early = UnreadCount(lastOrdinal: 5, readOrdinal: 3, count: 2)
    #expect(!early.isUncertain(4) && !early.isUncertain(3))
  }
}

@Suite("The user's own part in a group")
struct OwnPartTests {
  private let core = ClientCore(bufferedEvents: 10)

  private func receive(_ method: String, _ params: String, seq: Int64) {
    core.receive(method, #"{"channel_url":"trip","seq":\#(seq),"ts":50,\#(params)}"#)
  }

  /// An event of the user's own part, which has no number.
  private func receive(_ method: String, my: String) {
    core.receive(method, #"{"channel_url":"trip","ts":50,"my":\#(my)}"#)
  }

  private func message(_ ordinal: Int64, by userID: String) -> String {
    let user = #"{"user_id":"\#(userID)","nickname":"","profile_url":""}"#
    return #""message":\#(Sample.message(id: 20 + ordinal, user: user, ordinal: ordinal))"#
  }

  @Test("follows messages and their deletion")
  func messages() throws {
    core.keep(User(userID: "ann"))
    let group = try core.knownGroup()
    #expect(group.unreadMessageCount == 1)
    receive("message.received", message(3, by: "jeff"), seq: 5)
    #expect(group.unreadMessageCount == 2)
    // The answer of a read precedes the message.
    _ = core.group(try core.groupProperties(Sample.group(seq: 4)))
    #expect(group.unreadMessageCount == 2)
    receive("message.deleted", #""message_id":23,"ordinal":3,"sender_id":"jeff""#, seq: 6)
    #expect(group.unreadMessageCount == 1)
    // The answer of a list has a deletion whose event comes after it.
    _ = core.group(
      try core.groupProperties(
        Sample.group(seq: 8, last: 4, my: Sample.membership(unread: 2, last: 4))))
    receive("message.deleted", #""message_id":24,"ordinal":4,"sender_id":"jeff""#, seq: 8)
    #expect(group.unreadMessageCount == 2)
    receive("message.received", message(5, by: "ann"), seq: 9)
    #expect(group.unreadMessageCount == 0 && group.myLastRead == 1000)
  }

  @Test("is set by events and answers")
  func own() async throws {
    let group = try core.knownGroup()
    var events = group.events.makeAsyncIterator()
    receive("group.unread", my: Sample.membership(read: 2, unread: 0))
    #expect(group.unreadMessageCount == 0 && group.myLastRead == 200)
    receive(
      "group.hidden",
      my: Sample.membership(read: 2, unread: 0, hidden: "hidden_allow_auto_unhide"))
    #expect(group.hiddenState == .hiddenAllowAutoUnhide && group.isHidden)
    receive("group.unhidden", my: Sample.membership(read: 2, unread: 0))
    #expect(!group.isHidden)
    receive(
      "group.unread",
      my: Sample.membership(read: 0, unread: 0, counting: "unread_mention_count_only"))
    #expect(group.myCountPreference == .unreadMentionCountOnly && group.unreadMessageCount == 0)
    receive("message.received", message(3, by: "jeff"), seq: 5)
    #expect(group.unreadMessageCount == 0)
    var heard: [String] = []
    for _ in 1...5 {
      switch await events.next() {
      case .unreadMessageCountChanged: heard.append("unread")
      case .hidden: heard.append("hidden")
      case .unhidden: heard.append("unhidden")
      case let event: heard.append(event == nil ? "nothing" : "another")
      }
    }
    #expect(heard == ["unread", "hidden", "unhidden", "unread", "another"])
  }

  @Test("is not set by an event that a newer list has overtaken")
  func overtaken() throws {
    let group = try core.knownGroup()
    _ = core.group(
      try core.groupProperties(
        Sample.group(seq: 8, last: 4, my: Sample.membership(read: 4, unread: 0, last: 4))))
    receive("group.unread", my: Sample.membership(read: 2, unread: 0, last: 2))
    #expect(group.unreadMessageCount == 0 && group.myLastRead == 400)
    receive("group.unread", my: Sample.membership(read: 3, unread: 1, last: 4))
    #expect(group.unreadMessageCount == 1 && group.myLastRead == 300)
  }

  @Test("is not set by a list that a deletion has overtaken")
  func overtakenByDeletion() throws {
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    let group = try core.knownGroup()
    #expect(group.unreadMessageCount == 1)
    receive("message.deleted", #""message_id":20,"ordinal":2,"sender_id":"jeff""#, seq: 5)
    _ = core.group(try core.groupProperties(Sample.group(seq: 4)))
    #expect(group.unreadMessageCount == 0)
    _ = core.group(try core.groupProperties(Sample.group(seq: 5)))
    #expect(group.unreadMessageCount == 1)
  }

  @Test("has no last message before a new beginning of the history")
  func history() throws {
    let group = try core.knownGroup()
    receive("group.unread", my: Sample.membership(read: 1, unread: 0, from: 2000))
    #expect(group.lastMessage == nil && group.messageOffsetTimestamp == 2000)
    #expect(group.unreadMessageCount == 0)
  }

  @Test("of an unknown group is the one in the answer, and not that of events before it")
  func held() throws {
    core.receive("group.ready", #"{"ts":1,"token":"t"}"#)
    receive("group.unread", my: Sample.membership(read: 0, unread: 0))
    let group = try core.knownGroup()
    #expect(group.unreadMessageCount == 1)
  }

  @Test("is changed by calls with these parameters")
  func calls() throws {
    let group = try core.knownGroup()
    #expect(
      params(group.markingAsRead(upTo: 7)) == #"{"channel_url":"trip","message_id":7}"#)
    #expect(group.receivedMessageID == 20)
    #expect(
      params(group.markingAsUnread(7)) == #"{"channel_url":"trip","message_id":7}"#)
    #expect(params(group.hiding(false, true)) == #"{"channel_url":"trip"}"#)
    #expect(
      params(group.hiding(true, false))
        == #"{"channel_url":"trip","hide_previous_messages":true,"allow_auto_unhide":false}"#)
    #expect(
      params(GroupCalls.prefer("trip", .unreadMessageCountOnly))
        == #"{"channel_url":"trip","count_preference":"unread_message_count_only"}"#)
    #expect(params(GroupCalls.markRead(["trip"])) == #"{"channel_urls":["trip"]}"#)
    #expect(params(GroupCalls.markRead(nil)) == "{}")
    #expect(params(GroupCalls.totals(customTypes: ["a"])) == #"{"custom_types":["a"]}"#)
    let call = group.markingAsRead(upTo: 20)
    try call.read(AnswerReader.document(#"{"my":\#(Sample.membership(read: 2, unread: 0))}"#.json))
    #expect(group.unreadMessageCount == 0)
    #expect(throws: ParleyError.self) { try call.read(AnswerReader.document("{}".json)) }
  }
}
