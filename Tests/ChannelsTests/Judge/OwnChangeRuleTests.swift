import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: members' own parts in a group")
struct OwnChangeRuleTests {
  private let rig: JudgeRig

  init() throws { rig = try .group() }

  /// Sends messages, a millisecond after each other, and returns their ids.
  private func send(_ authors: String...) throws -> [Int64] {
    try authors.map { author in
      rig.now += 1
      return try #require(try rig.perform(.send("x"), by: author).sent).message.id
    }
  }

  /// Forgets what members have heard so far.
  private func forget() { (rig.heard, rig.others) = ([], []) }

  // MARK: Reading

  @Test("the answer and the notice of the other connections have the same values")
  func marksRead() throws {
    let ids = try send("ann", "boss", "ann")
    #expect(try rig.own(of: "ben").unreadCount == 3)
    #expect(try rig.own(of: "ann").unreadCount == 0 && rig.own(of: "boss").unreadCount == 1)
    forget()
    rig.now += 5
    let call = rig.begin(
      .own(.markRead(upTo: ids[1])), by: .participant("ben", session: 7))
    #expect(rig.answers[call] == nil && rig.memberNotices.isEmpty)
    rig.answerAll()
    let own = try #require(rig.answers[call]?.own)
    #expect(own.unreadCount == 1 && own.readOrdinal == 2 && own.readAt == rig.now - 6)
    #expect(own.state == .joined && own.inviter?.nickname == "BOSS" && own.countPreference == .all)
    let notice = try #require(rig.memberNotices.first)
    #expect(rig.memberNotices.count == 1 && notice.userID == "ben")
    #expect(notice.except == [.sample(7)])
    let expected = Event.groupUnread(own).notification(
      from: EventOrigin(channelURL: "lobby", timestamp: rig.now))
    #expect(notice.payload == expected)
    #expect(try rig.own(of: "ben") == own)
  }

  @Test("the other devices learn that a member has read messages, also by sending one")
  func readings() throws {
    func readers(_ body: () throws -> Void) rethrows -> [String] {
      forget()
      try body()
      return rig.others.compactMap { if case .noteReading(let id) = $0 { id } else { nil } }
    }
    #expect(try readers { _ = try send("ann", "ann") } == [])
    #expect(try readers { _ = try send("ben", "ben") } == ["ben"])
    #expect(try readers { _ = try rig.own(.markRead(upTo: nil), by: "ben") } == [])
    #expect(try readers { _ = try rig.own(.markRead(upTo: nil), by: "ann") } == ["ann"])
    #expect(try readers { _ = try send("ann") } == [])
    #expect(try readers { _ = try send("boss", "ann", "boss") } == ["boss", "ann", "boss"])
    var unmoved = MessageDraft(text: "x")
    unmoved.marksAsRead = false
    let order = MessageOrder(.success(unmoved), requestID: nil)
    #expect(try readers { _ = try rig.perform(.send(order), by: "ben") } == [])
  }

  @Test("a notice is sent only when something has changed")
  func unchanged() throws {
    let ids = try send("ann", "ann")
    for (change, isHeard) in [
      (.markRead(upTo: ids[0]), true), (.markRead(upTo: ids[0]), false),
      (.markRead(upTo: nil), true), (.markRead(upTo: ids[0]), false),
      (.markUnread(from: ids[1]), true), (.markUnread(from: ids[1]), false), (.unhide, false),
      (.hide(clearing: false, isArchived: true), true),
      (.hide(clearing: false, isArchived: true), false), (.unhide, true),
      (.prefer(.all), false), (.prefer(.off), true), (.prefer(.off), false), (.resetHistory, true),
      (.preferPushes(.default, counting: nil), false), (.preferPushes(.off, counting: nil), true),
      (.preferPushes(.off, counting: .off), false), (.preferPushes(.off, counting: .all), true),
    ] as [(OwnChange, Bool)] {
      forget()
      _ = try rig.own(change, by: "ben")
      #expect(rig.memberNotices.count == (isHeard ? 1 : 0), "\(change)")
    }
    #expect(rig.events.count == 2)
  }

  @Test("each change has its own event")
  func events() throws {
    forget()
    _ = try rig.own(.prefer(.off), by: "ben")
    _ = try rig.own(.hide(clearing: true, isArchived: false), by: "ben")
    _ = try rig.own(.unhide, by: "ben")
    _ = try rig.own(.resetHistory, by: "ben")
    #expect(
      rig.heard == [
        "group.unread ben", "group.hidden ben", "group.unhidden ben", "group.unread ben",
      ])
  }

  @Test("a notice is heard in the order of the events around it")
  func order() throws {
    forget()
    rig.begin(.send("x"), by: .participant("ann"))
    rig.begin(.own(.markRead(upTo: nil)), by: .participant("ben"))
    rig.begin(.send("x"), by: .participant("ann"))
    rig.answerAll()
    #expect(
      rig.heard == ["message.received", "group.unread ben", "group.read", "message.received"])
    #expect(try rig.own(of: "ben").unreadCount == 1)
  }

  @Test("several changes in flight are applied in their order")
  func pipelined() throws {
    let ids = try send("ann", "ann", "ann")
    let calls = [
      OwnChange.markRead(upTo: nil), .markUnread(from: ids[1]), .markRead(upTo: ids[1]),
    ].map { rig.begin(.own($0), by: .participant("ben")) }
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.own?.unreadCount } == [0, 2, 1])
    #expect(rig.isIdle)
  }

  @Test("a member may read while it is muted or the group is frozen, but not as a stranger")
  func rights() throws {
    _ = try rig.perform(.mute("ben"), by: "boss")
    _ = try rig.perform(.freeze, by: "boss")
    for change in OwnChange.samples where change != .markRead(upTo: 1) {
      guard change != .markUnread(from: 1) else { continue }
      #expect(try rig.perform(.own(change), by: "ben").error == nil, "\(change)")
    }
    let open = try JudgeRig.group(isPublic: true)
    for change in OwnChange.samples {
      #expect(try rig.perform(.own(change), by: "cat").error == .notJoined("lobby"))
      #expect(try rig.perform(.own(change), by: "away").error == .notFound(.channel, "lobby"))
      #expect(try open.perform(.own(change), by: "away").error == .notJoined("lobby"))
      #expect(try rig.perform(.own(change), by: .platform).error == .notJoined("lobby"))
    }
    #expect(rig.isIdle && open.requests.isEmpty)
  }

  @Test("a message that the member does not see is missing")
  func missing() throws {
    let ids = try send("ann")
    _ = try rig.own(.resetHistory, by: "ben")
    forget()
    for id in [ids[0], 1, ids[0] + 1] {
      for change in [OwnChange.markRead(upTo: id), .markUnread(from: id)] {
        #expect(try rig.perform(.own(change), by: "ben").error == .noSuchMessage)
      }
    }
    #expect(rig.heard.isEmpty && rig.isIdle)
  }

  @Test("a member who left before its change is judged by the log has no part")
  func left() throws {
    let leave = rig.begin(.change(.leave), by: .participant("ben"))
    let call = rig.begin(.own(.prefer(.off)), by: .participant("ben"))
    rig.answerAll()
    #expect(rig.answers[leave]?.code == nil)
    #expect(rig.answers[call]?.error == .notJoined("lobby") && rig.memberNotices.isEmpty)
  }

  @Test("an ephemeral group has no positions, and is hidden until the member unhides it")
  func ephemeral() throws {
    let rig = try JudgeRig.group(ephemeral: true)
    _ = try rig.perform(.send("x"), by: "ann")
    for change in [OwnChange.markRead(upTo: nil), .markUnread(from: 1), .resetHistory] {
      #expect(
        try rig.perform(.own(change), by: "ben").error == .notKept(inEphemeralChannel: "lobby"))
    }
    let hidden = try rig.own(.hide(clearing: true, isArchived: false), by: "ben")
    #expect(hidden.hiddenState == .hiddenPreventAutoUnhide)
    #expect(hidden.visibleFrom == 0 && hidden.unreadCount == 0)
    rig.heard = []
    _ = try rig.perform(.send("x"), by: "ann")
    #expect(rig.heard == ["message.received"])
    #expect(try rig.own(of: "ben").hiddenState == .hiddenPreventAutoUnhide)
    #expect(try rig.own(.unhide, by: "ben").hiddenState == .unhidden)
  }

  @Test("a member knows only the numbers that it wants to know")
  func preference() throws {
    _ = try send("ann", "ann")
    for (preference, count) in [
      (.off, 0), (.messagesOnly, 2), (.mentionsOnly, 0), (.all, 2),
    ] as [(CountPreference, Int64)] {
      #expect(try rig.own(.prefer(preference), by: "ben").unreadCount == count)
      #expect(try rig.own(of: "ben").unreadCount == count)
    }
  }

  @Test("a member chooses which messages are pushed, alone or with the numbers it wants")
  func pushes() throws {
    for (counting, expected) in [(nil, .all), (.off, .off), (nil, .off), (.all, .all)]
      as [(CountPreference?, CountPreference)]
    {
      for option in ChannelPushTriggerOption.allCases {
        let own = try rig.own(.preferPushes(option, counting: counting), by: "ben")
        #expect(own.pushTrigger == option && own.countPreference == expected)
        #expect(try rig.own(of: "ben").pushTrigger == option)
      }
    }
  }

  // MARK: Messages

  @Test("deleted and imported messages are unread for those who have not read them")
  func deletions() throws {
    let ids = try send("ann", "boss", "ann")
    _ = try rig.perform(.deleteMessage(ids[2]), by: "ann")
    #expect(try rig.own(of: "ben").unreadCount == 2 && rig.own(of: "boss").unreadCount == 0)
    // A judge that did not know the deletion from its own time.
    _ = try rig.own(.markRead(upTo: nil), by: "ben")
    try rig.restart(users: [])
    #expect(try rig.own(.markUnread(from: ids[0]), by: "ben").unreadCount == 2)
    rig.now += 1
    _ = try rig.importMessage("old", at: rig.now, by: "ben")
    #expect(try rig.own(of: "ben").unreadCount == 2 && rig.own(of: "boss").unreadCount == 1)
    try rig.restart(users: [])
    #expect(try rig.own(of: "ben").unreadCount == 2 && rig.own(of: "boss").unreadCount == 1)
  }

  @Test("a history that begins anew has what is sent from then on, also in the same millisecond")
  func resets() throws {
    let old = try send("ann", "boss")
    let call = rig.begin(.own(.resetHistory), by: .participant("ben"))
    let sent = rig.begin(.send("x"), by: .participant("ann"))
    rig.answerAll()
    guard case .success(.historyReset(let own))? = rig.answers[call] else {
      return #expect(Bool(false))
    }
    #expect(own.unreadCount == 0 && own.readOrdinal == 2 && own.visibleFrom == rig.now + 1)
    let new = try #require(rig.answers[sent]?.sent).message
    #expect(new.createdAt >= own.visibleFrom)
    #expect(try rig.own(of: "ben").unreadCount == 1)
    #expect(try rig.perform(.viewMessage(old[1]), by: "ben").error?.code == .notFound)
    #expect(try rig.perform(.viewMessage(new.id), by: "ben").error == nil)
    #expect(try rig.perform(.viewMessage(old[0]), by: "boss").error == nil)
    _ = try rig.own(.resetHistory, by: "ben")
    #expect(try rig.perform(.viewGroup, by: "ben").group?.lastMessage == nil)
    #expect(try rig.perform(.viewGroup, by: "ann").group?.lastMessage?.id == new.id)
    let cleared = try rig.perform(.own(.hide(clearing: true, isArchived: false)), by: "ann")
    guard case .success(.own(let hidden)) = cleared else { return #expect(Bool(false)) }
    #expect(hidden.visibleFrom > own.visibleFrom && hidden.hiddenState == .hiddenAllowAutoUnhide)
    #expect(try rig.perform(.viewGroup, by: "ann").group?.lastMessage == nil)
  }

  // MARK: Hiding

  @Test("the next message shows a hidden group again", arguments: ["ben", "ann", "admin"])
  func unhides(author: String) throws {
    let ids = try send("boss")
    _ = try rig.own(.hide(clearing: false, isArchived: false), by: "ann")
    _ = try rig.own(.hide(clearing: false, isArchived: true), by: "boss")
    forget()
    _ = try rig.perform(.deleteMessage(ids[0]), by: .platform)
    #expect(rig.heard == ["message.deleted"])
    forget()
    _ = try rig.perform(.send("x"), by: author == "admin" ? .platform : .participant(author))
    #expect(rig.heard == ["message.received", "group.unhidden ann"])
    let notice = try #require(rig.memberNotices.first)
    #expect(notice.except == [])
    let own = try rig.own(of: "ann")
    #expect(own.hiddenState == .unhidden && own.unreadCount == (author == "ann" ? 0 : 1))
    let expected = Event.groupUnhidden(own).notification(
      from: EventOrigin(channelURL: "lobby", timestamp: rig.now))
    #expect(notice.payload == expected)
    #expect(try rig.own(of: "boss").hiddenState == .hiddenPreventAutoUnhide)
    // Once, also after a restart.
    for _ in 0..<2 {
      forget()
      _ = try send("ben")
      #expect(rig.heard == ["message.received"])
      _ = try rig.own(.markRead(upTo: nil), by: "ann")
      try rig.restart(users: [])
    }
    forget()
    _ = try rig.own(.markRead(upTo: nil), by: "ann")
    #expect(rig.heard.isEmpty)
  }

  @Test("a refused message shows no group again")
  func refused() throws {
    _ = try rig.own(.hide(clearing: false, isArchived: false), by: "ann")
    forget()
    rig.begin(.send("x"), by: .participant("ben"))
    rig.failNext(.overloaded)
    #expect(rig.heard.isEmpty && rig.isIdle)
    #expect(try rig.own(of: "ann").hiddenState == .hiddenAllowAutoUnhide)
  }

  @Test("a member who hides the group again, or leaves, hears nothing of its return")
  func again() throws {
    for userID in ["ann", "ben"] {
      _ = try rig.own(.hide(clearing: false, isArchived: false), by: userID)
    }
    forget()
    rig.begin(.send("x"), by: .participant("boss"))
    rig.begin(.own(.hide(clearing: false, isArchived: false)), by: .participant("ann"))
    rig.begin(.change(.leave), by: .participant("ben"))
    rig.answerAll()
    #expect(rig.heard == ["message.received", "group.hidden ann", "group.left"])
    #expect(try rig.own(of: "ann").hiddenState == .hiddenAllowAutoUnhide)
    #expect(rig.isIdle)
  }

  // MARK: Failures

  @Test("a change whose commit was interrupted is answered as if it was not, if it was written")
  func written() throws {
    let ids = try send("ann", "ann")
    forget()
    let call = rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben"))
    rig.failNext(.unknown(""), isWritten: true)
    #expect(rig.answers[call] == nil && !rig.isIdle)
    rig.answerAll()
    #expect(rig.answers[call]?.own?.unreadCount == 1)
    #expect(rig.heard == ["group.unread ben", "group.read"])
    #expect(try rig.own(of: "ben").unreadCount == 1 && rig.isIdle)
  }

  @Test("a change that was not written changes nothing", arguments: [true, false])
  func unwritten(isInDoubt: Bool) throws {
    let ids = try send("ann", "ann")
    forget()
    let call = rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben"))
    rig.failNext(isInDoubt ? .unknown("") : .overloaded)
    rig.answerAll()
    #expect(rig.answers[call]?.code != nil && rig.heard.isEmpty && rig.isIdle)
    #expect(try rig.own(of: "ben").unreadCount == 2)
    #expect(try rig.own(.markRead(upTo: ids[0]), by: "ben").unreadCount == 1)
  }

  @Test("a change whose outcome stays unknown is answered once, and is applied when it is known")
  func reported() throws {
    let ids = try send("ann", "ann")
    forget()
    let call = rig.begin(.own(.markRead(upTo: ids[0])), by: .participant("ben"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    #expect(rig.answers[call]?.error?.data.outcome == "unknown" && rig.heard.isEmpty)
    rig.now += Settlement.pause
    rig.handle(.deadline)
    rig.answerAll()
    #expect(rig.heard == ["group.unread ben", "group.read"] && rig.isIdle)
    #expect(try rig.own(of: "ben").unreadCount == 1)
  }
}
