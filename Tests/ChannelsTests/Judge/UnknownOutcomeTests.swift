import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: interrupted commits")
struct UnknownOutcomeTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test(
    "a message that turns out to be stored is acknowledged and published", arguments: [true, false])
  mutating func send(isWritten: Bool) throws {
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unknown("cut off"), isWritten: isWritten)
    #expect(rig.answers[call] == nil && rig.events.isEmpty && !rig.isIdle)
    rig.answerAll()
    #expect(rig.answers[call]?.sent?.seq == (isWritten ? 1 : nil))
    #expect(rig.answers[call]?.code == (isWritten ? nil : .internalError))
    #expect(rig.events.map(\.seq) == (isWritten ? [1] : []))
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == (isWritten ? 1 : 0))
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.seq == 1)
  }

  @Test("no other decision is made until the outcome is known")
  mutating func holds() throws {
    let first = rig.begin(.send("1"), by: .participant("ann"))
    let second = rig.begin(.send("2"), by: .participant("ben"))
    rig.failNext(.unknown(""), isWritten: true)
    let third = rig.begin(.send("3"), by: .participant("cat"))
    rig.answerNext()
    #expect(rig.answers.isEmpty)
    rig.answerAll()
    #expect([first, second, third].map { rig.answers[$0]?.sent?.seq } == [1, 2, 3])
    #expect(rig.events.map(\.seq) == [1, 2, 3])
  }

  @Test("if the log stays unavailable, callers get an unknown outcome")
  mutating func staysAway() throws {
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    let joined = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    let held = rig.begin(.send("y"), by: .participant("ben"))
    rig.failNext(.unavailable(""))
    for call in [call, joined] {
      #expect(rig.answers[call]?.error?.data.outcome == "unknown")
      #expect(rig.answers[call]?.code == .internalError)
    }
    let late = rig.begin(.send("z"), by: .participant("cat"))
    rig.failNext(.unavailable(""))
    for call in [held, late] {
      #expect(rig.answers[call]?.code == .internalError)
      #expect(rig.answers[call]?.error?.data.outcome == nil)
    }
    guard case .wake(let time)? = rig.others.last else { return #expect(Bool(false)) }
    rig.now = time
    rig.handle(.deadline)
    rig.answerAll()
    #expect(rig.events.map(\.seq) == [1] && rig.isIdle)
    #expect(try rig.perform(.send("x", "r"), by: "ann").sent?.seq == 1)
  }

  @Test("the next command reads the log again, and is carried out once the read succeeds")
  mutating func asksAgain() throws {
    rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: true)
    rig.failNext(.unavailable(""))
    let next = rig.begin(.send("y"), by: .participant("ben"))
    let another = rig.begin(.send("z"), by: .participant("cat"))
    #expect(rig.requests.count == 1)
    rig.answerAll()
    #expect([next, another].map { rig.answers[$0]?.sent?.seq } == [2, 3])
    #expect(rig.events.map(\.seq) == [1, 2, 3] && rig.isIdle)
  }

  @Test("an edit, a deletion and a change of the channel are resolved", arguments: [true, false])
  mutating func changes(isWritten: Bool) throws {
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let commands: [ChannelCommand] = [
      .updateMessage(id, MessageChanges(text: "y")), .deleteMessage(id), .freeze,
      .addOperators(["ann"]), .ban("ben", seconds: 9), .delete,
    ]
    for command in commands {
      let count = rig.events.count
      let call = rig.begin(command, by: .platform)
      if case .read? = rig.requests.first { rig.answerNext() }
      rig.failNext(.unknown(""), isWritten: isWritten)
      rig.answerAll()
      #expect(rig.answers[call]?.code == (isWritten ? nil : .internalError))
      #expect(rig.events.count == count + (isWritten ? 1 : 0))
    }
    #expect(rig.events.map(\.seq) == (isWritten ? [1, 2, 3, 4, 5, 6, 7] : [1]))
    #expect(rig.isIdle)
  }

  @Test(
    "entries submitted after the interrupted commit do not resolve it", arguments: [true, false])
  mutating func neighbours(isWritten: Bool) throws {
    let freeze = rig.begin(.freeze, by: .platform)
    let send = rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unknown(""), isWritten: isWritten)
    rig.answerAll()
    #expect(rig.answers[freeze]?.code == (isWritten ? nil : .internalError))
    #expect(rig.answers[send]?.sent?.seq == (isWritten ? 2 : 1))
    #expect(rig.channel.isFrozen == isWritten)
    #expect(rig.events.map(\.seq) == (isWritten ? [1, 2] : [1]))
  }

  @Test("replaced operators are resolved in one step", arguments: [true, false])
  mutating func operators(isWritten: Bool) throws {
    let fields = ChannelFields(name: "n", operatorIDs: ["ann", "ben"])
    let call = rig.begin(.update(fields), by: .platform)
    rig.failNext(.unknown(""), isWritten: isWritten)
    rig.answerAll()
    #expect(rig.answers[call]?.channel?.name == (isWritten ? "n" : nil))
    #expect(rig.operatorIDs == (isWritten ? ["ann", "ben"] : ["boss"]))
    #expect(rig.events.map(\.seq) == (isWritten ? [1, 2, 3] : []))
  }

  @Test("a restriction that did not exist is not reported as lifted after an interruption")
  mutating func lifting() throws {
    let void = rig.begin(.unmute(userID: "ann"), by: .platform)
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(rig.answers[void]?.lifted == false && rig.events.isEmpty)
    _ = try rig.perform(.mute("ann"), by: .platform)
    let call = rig.begin(.unmute(userID: "ann"), by: .platform)
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(rig.answers[call]?.lifted == true && rig.events.map(\.seq) == [1, 2])
  }

  @Test("resolved changes are in effect")
  mutating func inForce() throws {
    rig.begin(.ban("ben", seconds: 9), by: .platform)
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(try rig.perform(.send("x"), by: "ben").code == .banned)
    rig.begin(.addOperators(["ann"]), by: .platform)
    rig.failNext(.unknown(""), isWritten: true)
    rig.answerAll()
    #expect(rig.operatorIDs == ["boss", "ann"])
    guard case .operators(let users)? = rig.events.last?.subject else {
      return #expect(Bool(false))
    }
    #expect(users.map(\.id) == ["boss", "ann"])
  }

  @Test("a judge that was replaced releases its channel")
  mutating func fenced() throws {
    let call = rig.begin(.send("x"), by: .participant("ann"))
    _ = rig.contents.perform(.takeOver(url: "lobby"))
    rig.answerNext()
    #expect(rig.answers[call]?.code == .internalError && rig.events.isEmpty)
    guard case .release? = rig.others.last else { return #expect(Bool(false)) }
  }

  @Test("failed reads return an error, and leave no unknown outcome")
  mutating func reads() throws {
    let call = rig.begin(.viewMessage(1), by: .participant("ann"))
    rig.failNext(.unknown(""))
    #expect(rig.answers[call]?.code == .internalError && rig.isIdle)
  }

  @Test("an entry ID is restored from its number")
  func numbers() {
    let ids = [
      EntryID.send(1 << 52), .repetition(7), .change(3), .operation, .view(0), .own(5),
      .groupView(6), .delivery(1 << 52), .deliveries,
    ]
    for id in ids {
      #expect(EntryID(number: id.number) == id)
    }
    #expect(EntryID(number: 9) == nil)
  }
}
