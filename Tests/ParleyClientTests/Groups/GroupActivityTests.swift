import Testing

@testable import ParleyClient

@Suite("What members of a group learn of each other")
struct GroupActivityTests {
  private let core = ClientCore(bufferedEvents: 10)

  private func receive(_ method: String, _ members: String) {
    core.receive(method, #"{"channel_url":"trip","ts":900,\#(members)}"#)
  }

  @Test("typing members are named until the event without them, and while connected")
  func typing() throws {
    let group = try core.knownGroup()
    #expect(!group.isTyping && group.getTypingUsers() == [])
    receive("group.typing", #""user_ids":["jeff","stranger"],"more":false"#)
    #expect(group.isTyping && group.getTypingUsers().map(\.userID) == ["jeff", "stranger"])
    // An answer about the group changes nothing.
    _ = core.group(try core.groupProperties(Sample.group(seq: 5)))
    #expect(group.isTyping)
    receive("group.typing", #""user_ids":[],"more":false"#)
    #expect(!group.isTyping)
    receive("group.typing", #""user_ids":["jeff"],"more":false"#)
    core.receive(.stateChanged(.reconnecting(attempt: 1, after: .zero, because: .serverDraining)))
    #expect(!group.isTyping)
  }

  @Test("a call about typing is sent once in two seconds, and its end only after a beginning")
  func ownTyping() {
    var typing = OwnTyping()
    let start = ContinuousClock.now
    func begins(_ milliseconds: Int64) -> Bool {
      typing.begin(at: start + .milliseconds(milliseconds))
    }
    let isEnd = typing.end()
    #expect(!isEnd)
    let sent = [0, 10, 1_999, 2_000, 3_000, 4_000].map(begins)
    #expect(sent == [true, false, false, true, false, true])
    let ends = [typing.end(), typing.end(), begins(4_001)]
    #expect(ends == [true, false, true])
  }

  @Test("a read position rises with events, and is not lowered by an older answer")
  func reads() throws {
    let group = try core.knownGroup()
    #expect(group.getReadStatus(includeAllMembers: true) == ["jeff": 100, "ann": 100])
    receive(
      "group.read",
      #""reads":[{"user_id":"ann","read_at":300,"message_id":21},{"user_id":"eve","read_at":9}]"#)
    receive("group.read", #""reads":[{"user_id":"ann","read_at":200}]"#)
    _ = core.group(try core.groupProperties(Sample.group(seq: 5)))
    #expect(group.getReadStatus(includeAllMembers: true) == ["jeff": 100, "ann": 300])
  }

  @Test("a position of received messages rises with events, and with what is read")
  func deliveries() throws {
    let json = Sample.group().replacing(
      #","read_at":100}"#, with: #","read_at":100,"delivered_at":100}"#)
    let group = try core.knownGroup(json)
    func times() -> [String: Int64] {
      group.members.reduce(into: [:]) { $0[$1.userID] = $1.deliveredAt }
    }
    #expect(times() == ["jeff": 100, "ann": 100])
    receive(
      "group.delivered",
      #""reads":[{"user_id":"ann","read_at":300,"message_id":21},{"user_id":"eve","read_at":9}]"#)
    receive("group.delivered", #""reads":[{"user_id":"ann","read_at":200}]"#)
    receive("group.read", #""reads":[{"user_id":"jeff","read_at":250}]"#)
    _ = core.group(try core.groupProperties(json.replacing(#""seq":4"#, with: #""seq":5"#)))
    #expect(times() == ["jeff": 250, "ann": 300])
    let message = try #require(group.lastMessage)
    let reached = message.createdAt <= 250
    let others = ["jeff", "ann"].count { $0 != message.sender?.userID }
    #expect(reached || group.getUndeliveredMemberCount(message) == others)
    for userID in ["jeff", "ann"] {
      receive(
        "group.delivered", #""reads":[{"user_id":"\#(userID)","read_at":\#(message.createdAt)}]"#)
    }
    #expect(group.getUndeliveredMemberCount(message) == 0)
  }

  @Test("what was received is gathered to one call a second")
  func marks() {
    let marks = DeliveryMarks()
    let start = ContinuousClock.now
    func mark(_ url: String, _ id: Int64) -> DeliveryMarks.Mark {
      DeliveryMarks.Mark(url: url, messageID: id)
    }
    #expect(marks.note(mark("a", 1), at: start) == .zero)
    #expect(marks.note(mark("a", 3), at: start) == nil)
    #expect(marks.note(mark("a", 2), at: start) == nil)
    #expect(marks.note(mark("b", 1), at: start) == nil)
    let first = marks.take(at: start)
    #expect(first.marks == [mark("a", 3), mark("b", 1)] && first.next == nil)
    #expect(marks.note(mark("a", 4), at: start + .milliseconds(300)) == .milliseconds(700))
    _ = marks.take(at: start + .seconds(1))
    for number in 0..<150 { _ = marks.note(mark("u\(number)", 1), at: start + .seconds(9)) }
    let many = marks.take(at: start + .seconds(9))
    #expect(many.marks.count == 100 && many.next == .seconds(1))
    let rest = marks.take(at: start + .seconds(10))
    #expect(rest.marks.count == 50 && rest.next == nil)
    _ = marks.note(mark("a", 5), at: start + .seconds(11))
    marks.forget()
    #expect(marks.take(at: start + .seconds(12)).marks.isEmpty)
  }

  @Test("a group without receipts has no positions")
  func none() throws {
    let json = Sample.group().replacing(#","read_at":100}"#, with: "}")
    let group = try core.knownGroup(json)
    #expect(group.members.count == 3 && group.getReadStatus(includeAllMembers: true) == [:])
    let message = try #require(group.lastMessage)
    #expect(group.getUnreadMemberCount(message) == 0)
    #expect(group.getReadMembers(message: message, includeAllMembers: true) == [])
  }

  @Test("members have read a message whose time is not after their position")
  func members() throws {
    let group = try core.knownGroup()
    let message = try #require(group.lastMessage)
    let sender = try #require(message.sender?.userID)
    let others = ["jeff", "ann"].filter { $0 != sender }
    func ids(_ members: [Member]) -> [String] { members.map(\.userID) }
    let isRead = message.createdAt <= 100
    #expect(group.getUnreadMemberCount(message) == (isRead ? 0 : others.count))
    receive("group.read", #""reads":[{"user_id":"ann","read_at":\#(message.createdAt)}]"#)
    #expect(
      ids(group.getReadMembers(message: message, includeAllMembers: true)).contains("ann"))
    #expect(
      !ids(group.getUnreadMembers(message: message, includeAllMembers: true)).contains("ann"))
    #expect(!ids(group.getReadMembers(message: message, includeAllMembers: true)).contains("kim"))
  }
}
