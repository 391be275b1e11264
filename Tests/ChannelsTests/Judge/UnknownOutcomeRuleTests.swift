import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: interrupted commits, in detail")
struct UnknownOutcomeRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("a send reports an unknown outcome, and repeating its request ID resolves it")
  mutating func repeating() throws {
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    #expect(rig.answers[call]?.error?.data.outcome == "unknown")
    let again = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[again]?.sent?.seq == 1 && rig.answers[again]?.sent?.arrival == .repeated)
    #expect(rig.events.map(\.seq) == [1])
  }

  @Test("a send that was not written is sent by its repetition")
  mutating func repeatingUnwritten() throws {
    rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: false)
    rig.failNext(.unavailable(""))
    let again = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[again]?.sent?.arrival == .sent && rig.events.map(\.seq) == [1])
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 1)
  }

  @Test("changes and operations with a reported unknown outcome get only one response")
  mutating func onceEach() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .updateMessage(id, MessageChanges(text: "y")), .freeze, .deleteMessage(id),
    ]
    for command in commands {
      let count = rig.events.count
      let call = rig.begin(command, by: .platform)
      if case .read? = rig.requests.first { rig.answerNext() }
      rig.failNext(.unknown(""), isWritten: true)
      rig.failNext(.unavailable(""))
      #expect(rig.answers[call]?.error?.data.outcome == "unknown")
      rig.now += Settlement.pause
      rig.handle(.deadline)
      rig.answerAll()
      #expect(rig.events.count == count + 1 && rig.isIdle)
    }
    #expect(rig.events.map(\.seq) == [1, 2, 3, 4])
  }

  @Test("the log is read again half a second after each failure, until a read succeeds")
  mutating func retries() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    for _ in 0..<5 {
      rig.failNext(.unavailable(""))
      guard case .wake(let time)? = rig.others.last else { return #expect(Bool(false)) }
      #expect(time == rig.now + 500 && rig.requests.isEmpty && !rig.isIdle)
      rig.now = time
      rig.handle(.deadline)
      #expect(rig.requests.count == 1)
    }
    rig.answerAll()
    #expect(rig.events.count == 1 && rig.isIdle)
  }

  @Test("the read of the outcome is queued with the log's writes, under the channel's term")
  mutating func order() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    guard case .entry(.send, .write(.read(.message), let place))? = rig.requests.first else {
      return #expect(Bool(false), "\(rig.requests)")
    }
    #expect(place == rig.place)
  }

  @Test("users who enter and leave in the meantime are applied afterwards, in order")
  mutating func presence() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.handle(.left(userID: "ben"))
    rig.enter("away")
    let calls = ["ben", "away"].map { rig.begin(.send("y"), by: .participant($0)) }
    rig.answerAll()
    #expect(rig.answers[calls[0]]?.code == .notInChannel)
    #expect(rig.answers[calls[1]]?.sent?.seq == 2)
  }

  @Test("limits changed in the meantime apply to the waiting commands")
  mutating func limits() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    let before = rig.begin(.send("y"), by: .participant("ann"))
    rig.handle(.floodLimitChanged(RateLimit(count: 2, windowMilliseconds: 1000)))
    let after = rig.begin(.send("z"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.answers[before]?.sent != nil && rig.answers[after]?.code == .flood)
  }

  @Test("waiting commands are judged by the time at which they arrived")
  mutating func times() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    let held = rig.begin(.send("y"), by: .participant("ann"))
    let time = rig.now
    rig.now += 3_000
    rig.answerAll()
    #expect(rig.answers[held]?.sent?.message.createdAt == time)
  }

  @Test("one unknown outcome may follow another")
  mutating func again() throws {
    let calls = ["1", "2", "3"].map { rig.begin(.send($0), by: .participant("ann")) }
    rig.failNext(.unknown(""), isWritten: true)
    let held = rig.begin(.send("4"), by: .participant("ben"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect((calls + [held]).map { rig.answers[$0]?.sent?.seq } == [1, 2, 3, 4])
    #expect(rig.events.map(\.seq) == [1, 2, 3, 4] && rig.isIdle)
  }

  @Test("an edit that was not made is distinguished from one that was, for each part")
  mutating func edits() throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let changes = [
      MessageChanges(text: "y"), MessageChanges(data: "d"), MessageChanges(customType: "c"),
      MessageChanges(mentionType: .channel),
    ]
    for (index, changes) in changes.enumerated() {
      for isWritten in [false, true] {
        rig.now += 1
        let call = rig.begin(.updateMessage(id, changes), by: .platform)
        rig.answerNext()
        rig.failNext(.unknown(""), isWritten: isWritten)
        rig.answerAll()
        #expect((rig.answers[call]?.changed != nil) == isWritten)
      }
      #expect(rig.events.count == index + 2)
    }
  }

  @Test("fields, freezing, operators and restrictions are each checked in the channel's record")
  mutating func operations() throws {
    let commands: [ChannelCommand] = [
      .update(ChannelFields(name: "n")), .freeze, .unfreeze, .mute("ann", seconds: 9),
      .unmute(userID: "ann"), .ban("ben"), .unban(userID: "ben"), .addOperators(["ann", "cat"]),
      .removeOperators(["cat"]), .update(ChannelFields(operatorIDs: ["ben"])), .removeAllOperators,
    ]
    for command in commands {
      for isWritten in [false, true] {
        let count = rig.events.count
        let call = rig.begin(command, by: .platform)
        rig.failNext(.unknown(""), isWritten: isWritten)
        rig.answerAll()
        #expect((rig.answers[call]?.code == nil) == isWritten, "\(command)")
        #expect((rig.events.count > count) == isWritten, "\(command)")
      }
    }
    #expect(rig.events.map(\.seq) == (1...Int64(rig.events.count)).map { $0 })
    #expect(rig.operatorIDs.isEmpty && rig.channel.name == "n" && !rig.channel.isFrozen)
  }

  @Test("a deletion is recognized by the channel's absence")
  mutating func deletion() throws {
    for isWritten in [false, true] {
      let call = rig.begin(.delete, by: .platform)
      rig.failNext(.unknown(""), isWritten: isWritten)
      rig.answerAll()
      #expect(rig.answers[call]?.code == (isWritten ? nil : .internalError))
    }
    #expect(rig.events.map(\.method) == ["channel.deleted"] && rig.events[0].seq == 1)
    guard case .release? = rig.others.last else { return #expect(Bool(false)) }
  }

  @Test("an ephemeral message whose relay was interrupted was not sent")
  mutating func ephemeral() throws {
    rig = try JudgeRig(ephemeral: true)
    let file = FileRecord(id: "f", name: "n", type: "", size: 1)
    let order = MessageOrder(.success(MessageDraft(text: "x")), requestID: nil, upload: file)
    let call = rig.begin(.send(order), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(rig.answers[call]?.code == .internalError && rig.events.isEmpty && rig.isIdle)
  }

  @Test("an interrupted lookup or read leaves no unknown outcome")
  mutating func reads() throws {
    let id = try #require(try rig.perform(.send("x", "r"), by: "ann").sent).message.id
    _ = try rig.perform(.mute("ann"), by: .platform)
    for command in [ChannelCommand.send("x", "r"), .viewMessage(id)] {
      let call = rig.begin(command, by: .participant("ann"))
      rig.failNext(.unknown(""))
      #expect(rig.answers[call]?.code != nil && rig.isIdle)
    }
  }
}
