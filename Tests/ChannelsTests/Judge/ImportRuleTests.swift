import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: imported messages")
struct ImportRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  @Test("keep their time, take the next number and are published")
  mutating func published() throws {
    let first = try #require(try rig.importMessage("one", at: 5_000).sent)
    let second = try #require(try rig.importMessage("two", at: 7_000, by: nil).sent)
    #expect(first.message.createdAt == 5_000 && first.seq == 1)
    #expect(first.message.user?.id == "away" && second.message.user == nil)
    #expect(second.message.createdAt == 7_000 && second.seq == 2)
    #expect(second.message.id > first.message.id)
    #expect(rig.events.map(\.method) == ["message.received", "message.received"])
    #expect(rig.events.map(\.seq) == [1, 2] && rig.events.map(\.timestamp) == [5_000, 7_000])
    let next = try #require(try rig.perform(.send("now"), by: "ann").sent)
    #expect(next.message.createdAt == rig.now && next.seq == 3)
    #expect(next.message.id > second.message.id)
  }

  @Test("with the same time keep their order")
  mutating func sameTime() throws {
    var messages: [Message] = []
    for text in ["1", "2", "3"] {
      messages.append(try #require(try rig.importMessage(text, at: 5_000).sent).message)
    }
    #expect(messages.map(\.createdAt) == [5_000, 5_000, 5_000])
    #expect(messages.map(\.id) == messages.map(\.id).sorted())
  }

  @Test("are refused if older than the newest message, with both times, or in the future")
  mutating func order() throws {
    _ = try rig.importMessage("one", at: 5_000)
    let early = try #require(try rig.importMessage("two", at: 4_999).error)
    #expect(early.code == .outOfRange && early.data.field == "created_at")
    #expect(early.message.contains("4999") && early.message.contains("5000"))
    let late = try #require(try rig.importMessage("two", at: rig.now + 1).error)
    #expect(late.code == .outOfRange && late.message.contains("\(rig.now)"))
    #expect(rig.tally.refused.invalid == 2)
    #expect(try rig.importMessage("two", at: rig.now).sent?.seq == 2)
    #expect(try rig.importMessage("three", at: rig.now - 1).code == .outOfRange)
  }

  @Test("are refused after a newer live message, even if it is not yet durable or was deleted")
  mutating func afterNow() throws {
    let call = rig.begin(.send("x"), by: .participant("ann"))
    let refused = rig.beginImport("one", at: 5_000)
    #expect(rig.answers[refused]?.code == .outOfRange)
    rig.answerAll()
    let id = try #require(rig.answers[call]?.sent?.message.id)
    _ = try rig.perform(.deleteMessage(id), by: .platform)
    #expect(try rig.importMessage("one", at: 5_000).code == .outOfRange)
    try rig.restart(users: ["ann"])
    #expect(try rig.importMessage("one", at: 5_000).code == .outOfRange)
  }

  @Test("are refused if they exceed the retention age")
  func lifetime() throws {
    let rig = try JudgeRig(messageLifetime: 1_000)
    let error = try #require(try rig.importMessage("one", at: rig.now - 1_001).error)
    #expect(error.code == .outOfRange && error.message.contains("store.retention_days"))
    #expect(try rig.importMessage("one", at: rig.now - 1_000).sent != nil)
  }

  @Test("notify no absent user, look up no preview, and count in no window")
  func quiet() throws {
    let limit = RateLimit(count: 1, windowMilliseconds: 1_000)
    let rig = try JudgeRig(limit: limit, previews: [:])
    for number in 0..<3 {
      let outcome = try rig.importMessage(
        "http://b.example/\(number)", at: rig.now, by: "ann", mentioning: ["away", "ben"])
      #expect(outcome.sent?.message.mentionedUsers.map(\.id) == ["away", "ben"])
      #expect(outcome.sent?.message.isPreviewPending == false)
    }
    #expect(rig.enrichments.isEmpty && rig.others.isEmpty)
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 0)
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
    try rig.restart(limit: limit, users: ["ann"])
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 1)
  }

  @Test("are subject to bans, but not to freezing, muting or presence")
  mutating func access() throws {
    _ = try rig.perform(.mute("ann"), by: .platform)
    _ = try rig.perform(.freeze, by: .platform)
    #expect(try rig.importMessage("one", at: 5_000, by: "ann").sent != nil)
    _ = try rig.perform(.ban("ann"), by: .platform)
    #expect(try rig.importMessage("two", at: 5_000, by: "ann").code == .banned)
    #expect(try rig.importMessage("two", at: 5_000).sent != nil)
  }

  @Test("have the same size limit as other messages")
  mutating func size() throws {
    var draft = MessageDraft(text: "x")
    draft.data = String(repeating: "\u{1}", count: 16_000)
    let message = MessageImport(
      MessageOrder(.success(draft), requestID: nil), createdAt: 5_000, author: nil)
    rig.handle(.importing(message, call: .platform(77)))
    #expect(rig.answers[77]?.code == .tooLong && rig.isIdle)
  }

  @Test("are refused by a channel that keeps no messages")
  func ephemeral() throws {
    let rig = try JudgeRig(ephemeral: true)
    #expect(try rig.importMessage("one", at: 5_000, "r").code == .notFound)
    #expect(rig.events.isEmpty && rig.isIdle)
  }

  @Test("are imported once per request ID and time, however long ago that was")
  mutating func once() throws {
    let first = try #require(try rig.importMessage("one", at: 5_000, "r").sent)
    _ = try rig.importMessage("two", at: 9_000, "s")
    _ = try rig.perform(.send("now"), by: "ann")
    rig.now += 10 * requestIDLifetimeMilliseconds
    let again = try #require(try rig.importMessage("one", at: 5_000, "r").sent)
    #expect(again.message == first.message && again.seq == 1 && again.arrival == .repeated)
    #expect(try rig.importMessage("one", at: 5_001, "r").code == .outOfRange)
    #expect(try rig.importMessage("one", at: 5_000, by: "ben", "r").code == .outOfRange)
    #expect(rig.events.count == 3 && rig.tally.repeated == 1)
    try rig.restart(users: ["ann"])
    #expect(try rig.importMessage("one", at: 5_000, "r").sent?.message == first.message)
  }

  @Test("are joined by a repetition while they are being written")
  mutating func joined() throws {
    let calls = [rig.beginImport("one", at: 5_000, "r"), rig.beginImport("one", at: 5_000, "r")]
    rig.answerAll()
    #expect(calls.map { rig.answers[$0]?.sent?.seq } == [1, 1] && rig.events.count == 1)
    #expect(rig.answers[calls[1]]?.sent?.arrival == .joined)
  }

  @Test("that the log recognizes return the first message, and publish nothing")
  mutating func recognised() throws {
    _ = try rig.importMessage("one", at: 5_000, "r")
    let again = try #require(try rig.importMessage("one", at: 5_000, "r").sent)
    #expect(again.seq == 1 && again.arrival == .repeated && rig.events.count == 1)
  }

  @Test("do not register their request ID for live messages")
  mutating func names() throws {
    _ = try rig.importMessage("one", at: 5_000, by: "ann", "r")
    let sent = try #require(try rig.perform(.send("now", "r"), by: "ann").sent)
    #expect(sent.arrival == .sent && sent.seq == 2)
  }

  @Test("that could not be written may be imported again")
  mutating func failure() throws {
    let call = rig.beginImport("one", at: 5_000, "r")
    rig.failNext(.unavailable("disk full"))
    #expect(rig.answers[call]?.code == .internalError && rig.events.isEmpty)
    #expect(try rig.importMessage("one", at: 5_000, "r").sent?.seq == 1)
  }

  @Test(
    "whose commit was interrupted wait for the read of the log, as commands do",
    arguments: [true, false])
  mutating func unknown(isWritten: Bool) throws {
    let first = rig.beginImport("one", at: 5_000)
    rig.failNext(.unknown(""), isWritten: isWritten)
    let second = rig.beginImport("two", at: 6_000)
    #expect(rig.answers.isEmpty)
    rig.answerAll()
    #expect((rig.answers[first]?.sent != nil) == isWritten)
    #expect(rig.answers[second]?.sent?.seq == (isWritten ? 2 : 1))
    #expect(rig.events.map(\.seq) == (isWritten ? [1, 2] : [1]))
  }

  @Test("are refused while the outcome of another import is unknown")
  mutating func undecided() throws {
    rig.beginImport("one", at: 5_000)
    rig.failNext(.unknown(""), isWritten: true)
    let held = rig.beginImport("two", at: 6_000)
    rig.failNext(.unavailable(""))
    #expect(rig.answers[held]?.code == .internalError)
    rig.now += Settlement.pause
    rig.handle(.deadline)
    rig.answerAll()
    #expect(rig.events.map(\.seq) == [1] && rig.isIdle)
  }
}
