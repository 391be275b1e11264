import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: typing in a group")
struct TypingRuleTests {
  private let rig: JudgeRig

  init() throws {
    rig = try .group()
    (rig.heard, rig.others) = ([], [])
  }

  @discardableResult
  private func type(_ userID: String, _ isTyping: Bool = true) throws -> ErrorCode? {
    try rig.perform(.group(.typing(isTyping)), by: userID).code
  }

  /// The notices for all: the typing members, and the users who do not receive the notice.
  private var notices: [[[String]]] {
    rig.others.compactMap {
      guard case .notifyMembers(let notice) = $0,
        let params = try? JSONDocument(notice.payload).root["params"]
      else { return nil }
      return [params["user_ids"]?.elements.compactMap(\.string) ?? [], notice.exceptIDs]
    }
  }

  private func forget() { (rig.heard, rig.others) = ([], []) }

  /// Lets the time pass until the judge wants to be woken.
  private func wake() throws {
    rig.now = try #require(rig.wakeTime)
    rig.handle(.deadline)
  }

  @Test("the call is answered with nothing, and the others receive an event without a number")
  func begins() throws {
    #expect(try rig.perform(.group(.typing(true)), by: "ann").isDone)
    #expect(rig.heard == ["group.typing"] && rig.events.isEmpty)
    guard case .notifyMembers(let notice)? = rig.others.first else {
      Issue.record("no notice")
      return
    }
    let expected = Event.groupTyping(.init(userIDs: ["ann"], hasMore: false)).notification(
      from: EventOrigin(channelURL: "lobby", timestamp: rig.now))
    #expect(notice.payload == expected && notice.exceptIDs == ["ann"])
    #expect(rig.wakeTime == rig.now + 10_000)
    forget()
    rig.now += 1_500
    try type("ben")
    #expect(notices == [[["ann", "ben"], ["ann", "ben"]]])
    #expect(rig.memberNotices.map(\.userID) == ["ann"])
    #expect(rig.isIdle)
  }

  @Test("it ends after ten seconds, and by a message after the message")
  func ends() throws {
    try type("ann")
    forget()
    try wake()
    #expect(notices == [[[], ["ann"]]])
    rig.now += 5_000
    try type("ann")
    rig.now += 5_000
    forget()
    _ = try rig.perform(.send("x"), by: "ann")
    #expect(rig.heard == ["message.received", "group.typing"])
    #expect(notices == [[[], ["ann"]]])
    rig.now += 5_000
    try type("ann")
    rig.now += 5_000
    forget()
    _ = try rig.perform(.send("x"), by: "ben")
    #expect(rig.heard == ["message.received"])
    rig.begin(.send("x"), by: .platform(onBehalfOf: User(id: "ann")))
    rig.answerAll()
    #expect(notices == [[[], ["ann"]]])
  }

  @Test("it ends with the membership, a ban, a mute, freezing, and the last connection")
  func loses() throws {
    let ends: [(String, () throws -> Void)] = [
      ("left", { _ = try self.rig.change(.leave, by: "ann") }),
      ("removed", { _ = try self.rig.change(.remove(["ann"]), by: "boss") }),
      ("banned", { _ = try self.rig.perform(.ban("ann", seconds: 1), by: "boss") }),
      ("muted", { _ = try self.rig.perform(.mute("ann", seconds: 1), by: "boss") }),
      ("frozen", { _ = try self.rig.perform(.freeze, by: "boss") }),
      ("gone", { self.rig.handle(.left(userID: "ann")) }),
      ("deleted", { _ = try self.rig.change(.forget(userID: "ann"), by: .platform) }),
    ]
    for (reason, end) in ends {
      rig.now += 20_000
      _ = try rig.perform(.unfreeze, by: "boss")
      if !rig.isJoined("ann") { _ = try rig.change(.invite(["ann"]), by: "boss") }
      try type("ann")
      try type("boss")
      rig.now += 5_000
      rig.handle(.deadline)
      rig.now += 1_000
      forget()
      try end()
      #expect(notices == [[["boss"], ["ann", "boss"]]], "\(reason)")
      #expect(rig.heard.last?.hasPrefix("group.typing") == true, "\(reason)")
      rig.handle(.left(userID: "boss"))
    }
  }

  @Test("members who may not send are answered, and change nothing")
  func restricted() throws {
    _ = try rig.perform(.mute("ben"), by: "boss")
    _ = try rig.perform(.freeze, by: "boss")
    forget()
    for user in ["ann", "ben", "cat"] { #expect(try type(user) == nil) }
    for user in ["ann", "ben", "cat"] { #expect(try type(user, false) == nil) }
    #expect(rig.heard == [])
    try type("boss")
    #expect(notices.count == 1)
    #expect(try type("away") == .notFound)
    let open = try JudgeRig.group(isPublic: true)
    #expect(try open.perform(.group(.typing(true)), by: "away").error == .notJoined("lobby"))
    #expect(try open.perform(.group(.typing(true)), by: .platform).error == .notJoined("lobby"))
    let channel = try JudgeRig()
    #expect(
      try channel.perform(.group(.typing(true)), by: "ann").error == .wrongKind("lobby", .open))
  }

  @Test("many calls cause an event a second, and the last of them decides")
  func flood() throws {
    for index in 0..<200 {
      try type("ann", index % 2 == 0)
      rig.now += 50
      if let time = rig.wakeTime, time <= rig.now { rig.handle(.deadline) }
    }
    #expect(notices.count <= 10)
    try type("ann", false)
    for _ in 0..<3 where !notices.isEmpty && notices.last?.first != [] { try wake() }
    #expect(notices.last?.first == [])
  }

  @Test("a deletion of the group ends it without an event, and an unknown outcome delays it")
  func deleted() throws {
    try type("ann")
    rig.begin(.send("x"), by: .participant("boss"))
    rig.failNext(.unknown("lost"), isWritten: true)
    forget()
    rig.now += 20_000
    rig.handle(.deadline)
    #expect(notices.isEmpty)
    rig.answerAll()
    #expect(notices.last?.first == [])
    rig.now += 5_000
    try type("ann")
    forget()
    _ = try rig.perform(.group(.delete), by: "boss")
    rig.now += 20_000
    rig.handle(.deadline)
    #expect(notices.isEmpty)
  }
}
