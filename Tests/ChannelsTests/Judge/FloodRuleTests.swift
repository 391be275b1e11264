import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of the flood window")
struct FloodRuleTests {
  private let one = RateLimit(count: 1, windowMilliseconds: 1000)

  private func send(_ rig: JudgeRig, _ userID: String = "ann") throws -> ErrorCode? {
    try rig.perform(.send("x"), by: userID).code
  }

  private func largeSend(_ byteCount: Int) -> ChannelCommand {
    let draft = MessageDraft(text: "x", data: String(repeating: "d", count: byteCount))
    return .send(MessageOrder(.success(draft), requestID: nil))
  }

  @Test("all connections of a user share one window")
  func connections() throws {
    let rig = try JudgeRig()
    for session in 1...5 {
      let principal = Principal.participant("ann", session: session)
      #expect(try rig.perform(.send("x"), by: principal).sent != nil)
    }
    #expect(try rig.perform(.send("x"), by: .participant("ann", session: 6)).code == .flood)
  }

  @Test("in a call with several messages, those after the first refused one are not judged")
  func parts() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 700))
    let ann = Principal.participant("ann")
    let session = SessionAddress.sample(1)
    func send(_ unit: Int, _ index: Int, _ requestID: String? = nil) {
      let ticket = CallTicket(unit: unit, index: index)
      let address = ReplyAddress(session: session, ticket: ticket, id: nil, isPaid: true)
      rig.handle(.command(.send("x", requestID), by: ann, call: .session(address)))
    }
    for part in 1...20 { send(7, -part, "r\(part)") }
    #expect(rig.requests.count == 2 && rig.others.count == 18)
    #expect(rig.tally.refused.flood == 18)
    rig.answerAll()
    #expect(rig.others.count == 20 && rig.events.count == 2)
    // One that may have been sent before is looked up when it is judged: the first of the next call, and a
    // call that is no part of one.
    for (unit, index, isJudged) in [(7, -20, false), (8, -1, true), (8, -2, false), (8, 0, true)] {
      send(unit, index, "r1")
      #expect(rig.requests.count == (isJudged ? 1 : 0))
      rig.answerAll()
    }
    #expect(rig.others.count == 24 && rig.tally.refused.flood == 20 && rig.events.count == 2)
  }

  @Test("no second contains more messages than the limit, wherever it begins")
  func slides() throws {
    let rig = try JudgeRig()
    let start = rig.now
    var accepted: [Int64] = []
    for _ in 0..<300 {
      rig.now += 17
      if try send(rig) == nil { accepted.append(rig.now) }
    }
    for time in start...rig.now {
      #expect(accepted.count { (time..<time + 1000).contains($0) } <= 5)
    }
    #expect(accepted.count == 30)
  }

  @Test("a refusal reports when the next message is accepted, and which limit applies")
  func details() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 700))
    _ = try send(rig)
    rig.now += 100
    _ = try send(rig)
    rig.now += 50
    let data = try #require(try rig.perform(.send("x"), by: "ann").error).data
    #expect(data.retryAfterMilliseconds == 550 && data.limit == 2)
    #expect(data.windowMilliseconds == 700 && data.scope == "user_channel")
    rig.now += 549
    #expect(try send(rig) == .flood)
    rig.now += 1
    #expect(try send(rig) == nil)
  }

  @Test("a message refused for its values does not count")
  func refusedValues() throws {
    let rig = try JudgeRig(limit: one)
    let bad = ChannelCommand.send(MessageOrder(.failure(.missing("message")), requestID: nil))
    for _ in 0..<3 { #expect(try rig.perform(bad, by: "ann").code == .missingParameter) }
    #expect(try rig.perform(largeSend(60_000), by: "ann").code == .tooLong)
    #expect(try send(rig) == nil)
  }

  @Test("the limit over all channels comes after other checks, and spares exempt operators")
  func userFlood() throws {
    let refusal = ServiceError.userFlood(retryAfter: 7, limit: 20, window: 1000)
    func over(_ text: String, _ requestID: String? = nil) -> ChannelCommand {
      let order = MessageOrder(.success(MessageDraft(text: text)), requestID: requestID)
      return .send(order.refused(refusal))
    }
    let rig = try JudgeRig(exemptsOperators: true)
    #expect(try rig.perform(over("x"), by: "boss").sent?.message.text == "x")
    let error = try #require(try rig.perform(over("x"), by: "ann").error)
    #expect(error.data.scope == "user" && error.data.retryAfterMilliseconds == 7)
    #expect(rig.tally.refused.flood == 1 && rig.events.count == 1)
    #expect(try rig.perform(over("x"), by: "stranger").code == .notInChannel)
    // A repetition is answered as always.
    let first = try #require(try rig.perform(.send("y", "r"), by: "ann").sent)
    #expect(try rig.perform(over("y", "r"), by: "ann").sent?.message.id == first.message.id)
    #expect(try JudgeRig().perform(over("x"), by: "boss").code == .flood)
  }

  @Test("a text that the log cannot store does not count")
  func unstorable() throws {
    let rig = try JudgeRig(limit: one)
    #expect(try rig.perform(.send("a\u{0}"), by: "ann").code == .characterNotAllowed)
    #expect(try send(rig) == nil)
  }

  @Test("the window is measured from arrival, even if the log answers late")
  func lateAnswers() throws {
    let rig = try JudgeRig(limit: one)
    rig.begin(.send("x"), by: .participant("ann"))
    #expect(try rig.sendCheck(of: "ann", at: rig.now).sends.used == 1 && send(rig) == .flood)
    rig.now += 1000
    rig.begin(.send("y"), by: .participant("ann"))
    rig.answerAll()
    #expect(rig.events.map(\.seq) == [1, 2])
  }

  @Test("changes of messages and of the channel share one window, separate from that of sends")
  func changes() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    let id = try #require(try rig.perform(.send("x"), by: "boss").sent).message.id
    let edit = ChannelCommand.updateMessage(id, MessageChanges(text: "y"))
    #expect(try rig.perform(edit, by: "boss").code == nil)
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
    for command in [edit, .unfreeze, .changeMetaArrays(ofMessage: id, .createKeys(["k"]))] {
      let error = try #require(try rig.perform(command, by: "boss").error)
      #expect(error.code == .flood && error.data.limit == 2 && error.data.scope == "user_channel")
    }
    #expect(try send(rig, "boss") == nil)
    rig.now += 1000
    #expect(try rig.perform(.unfreeze, by: "boss").code == nil)
  }

  @Test("a refused operation does not count in the window of changes")
  func refusedChanges() throws {
    let rig = try JudgeRig(limit: one)
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let refused: [(ChannelCommand, String)] = [
      (.freeze, "ann"), (.addOperators(["nobody"]), "boss"), (.mute("nobody"), "boss"),
      (.updateMessage(1, MessageChanges(text: "y")), "boss"),
      (.updateMessage(id, MessageChanges(text: "y")), "ben"),
      (.changeMetaArrays(ofMessage: id, .createKeys(["k"])), "ben"),
      (.changeMetaArrays(ofMessage: 1, .addValues([])), "ben"),
    ]
    for (command, userID) in refused { #expect(try rig.perform(command, by: userID).code != nil) }
    for userID in ["ann", "ben", "boss"] {
      #expect(rig.sendCheck(of: userID, at: rig.now).changes.used == 0)
    }
  }

  @Test("a change made over the Platform API counts in no user's window")
  func platformChanges() throws {
    let rig = try JudgeRig(limit: one)
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let principal = Principal.platform(onBehalfOf: User(id: "ann"))
    for text in ["1", "2", "3"] {
      let edit = ChannelCommand.updateMessage(id, MessageChanges(text: text))
      #expect(try rig.perform(edit, by: principal).changed?.text == text)
    }
    #expect(rig.sendCheck(of: "ann", at: rig.now).changes.used == 0)
  }

  @Test("sends and changes share a byte budget, which refills every second")
  func bytes() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 60, windowMilliseconds: 1000))
    let id = try #require(try rig.perform(.send("x"), by: "ann").sent).message.id
    let data = String(repeating: "d", count: 16_000)
    let edit = ChannelCommand.updateMessage(id, MessageChanges(data: data))
    for _ in 0..<4 {
      #expect(try rig.perform(largeSend(15_000), by: "ann").code == nil)
      #expect(try rig.perform(edit, by: "ann").code == nil)
    }
    let error = try #require(try rig.perform(edit, by: "ann").error)
    #expect(error.code == .flood && error.data.limit == 65_536 && rig.tally.refused.flood == 1)
    #expect(try rig.perform(largeSend(16_000), by: "ben").code == nil)
    rig.now += try #require(error.data.retryAfterMilliseconds)
    #expect(try rig.perform(edit, by: "ann").code == nil)
  }

  @Test("an edit is charged for the event that it causes, even if the edit itself is small")
  func charged() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 60, windowMilliseconds: 1000))
    let outcome = try rig.perform(largeSend(16_000), by: .platform(onBehalfOf: User(id: "ann")))
    let id = try #require(outcome.sent).message.id
    var code: ErrorCode?
    var count = 0
    while code == nil, count < 60 {
      code = try rig.perform(.updateMessage(id, MessageChanges(text: "\(count)")), by: "ann").code
      count += 1
    }
    #expect(code == .flood && (8...10).contains(count))
  }

  @Test("added values of extra data are charged by the size of the message sent to others")
  func chargedMetaArrays() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 60, windowMilliseconds: 1000))
    let outcome = try rig.perform(largeSend(16_000), by: .platform(onBehalfOf: User(id: "ann")))
    let id = try #require(outcome.sent).message.id
    var codes: [ErrorCode?] = []
    for number in 0..<12 {
      let keys = MetaArrayChange.addValues([MetaArray(key: "k", values: ["\(number)"])])
      codes.append(try rig.perform(.changeMetaArrays(ofMessage: id, keys), by: "ann").code)
    }
    #expect(codes.first == .some(nil) && codes.last == .flood)
  }

  @Test("operations are charged by the size of their events")
  func chargedOperations() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 60, windowMilliseconds: 1000))
    var codes: [ErrorCode?] = []
    for number in 0..<12 {
      let data = String(repeating: "\(number % 10)", count: 16_000)
      codes.append(try rig.perform(.update(ChannelFields(data: data)), by: "boss").code)
    }
    #expect(codes.first == .some(nil) && codes.last == .flood)
  }

  @Test("the description of a mute is charged before the mute is stored")
  func descriptions() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1000, windowMilliseconds: 1000))
    let mute = ChannelCommand.mute("ann", seconds: 9, String(repeating: "x", count: 2_000))
    var count = 0
    while try rig.perform(mute, by: "boss").code == nil, count < 1000 { count += 1 }
    #expect((350...900).contains(count))
  }
}

@Suite("The judge: changing limits")
struct LimitChangeTests {
  private func limit(_ count: Int, _ window: Int64 = 1000) -> JudgeInput {
    .floodLimitChanged(RateLimit(count: count, windowMilliseconds: window))
  }

  @Test("a lower limit applies immediately, including to earlier sends")
  func lower() throws {
    let rig = try JudgeRig()
    for _ in 0..<3 { _ = try rig.perform(.send("x"), by: "ann") }
    rig.handle(limit(2))
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
    rig.now += 1000
    #expect(try rig.perform(.send("x"), by: "ann").code == nil)
  }

  @Test("a higher limit lets the difference through immediately")
  func higher() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    for _ in 0..<2 { _ = try rig.perform(.send("x"), by: "ann") }
    rig.handle(limit(4))
    let codes = try (0..<3).map { _ in try rig.perform(.send("x"), by: "ann").code }
    #expect(codes == [nil, nil, .flood])
  }

  @Test("a longer window includes sends made under the shorter one")
  func longer() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    _ = try rig.perform(.send("x"), by: "ann")
    rig.now += 1500
    rig.handle(limit(1, 5000))
    let error = try #require(try rig.perform(.send("x"), by: "ann").error)
    #expect(error.data.retryAfterMilliseconds == 3500 && error.data.windowMilliseconds == 5000)
  }

  @Test("0 turns the limit off, including bytes; another number turns it on again")
  func off() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    rig.handle(limit(0))
    let draft = MessageDraft(text: "x", data: String(repeating: "d", count: 16_000))
    for _ in 0..<20 {
      let outcome = try rig.perform(
        .send(MessageOrder(.success(draft), requestID: nil)), by: "ann")
      #expect(outcome.sent != nil)
    }
    rig.handle(limit(1))
    let codes = try (0..<2).map { _ in try rig.perform(.send("x"), by: "ann").code }
    #expect(codes == [nil, .flood])
  }

  @Test("the limit also applies to changes")
  func changes() throws {
    let rig = try JudgeRig()
    rig.handle(limit(1))
    #expect(try rig.perform(.freeze, by: "boss").code == nil)
    #expect(try rig.perform(.unfreeze, by: "boss").code == .flood)
  }

  @Test("a failed send under another limit frees its window entry")
  func failsLater() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    rig.begin(.send("x"), by: .participant("ann"))
    rig.handle(limit(2))
    rig.failNext(.unavailable(""))
    let codes = try (0..<3).map { _ in try rig.perform(.send("x"), by: "ann").code }
    #expect(codes == [nil, nil, .flood])
  }

  @Test("a failed send without a window entry frees none")
  func failsWithoutPlace() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    _ = try rig.perform(.send("x"), by: "ann")
    rig.handle(limit(0))
    rig.begin(.send("y"), by: .participant("ann"))
    rig.failNext(.unavailable(""))
    rig.handle(limit(1))
    #expect(try rig.perform(.send("z"), by: "ann").code == .flood)
  }

  @Test("after a restart the messages of the last window count, changes do not")
  func restart() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 2, windowMilliseconds: 1000))
    let id = try #require(try rig.perform(.send("x"), by: "boss").sent).message.id
    rig.now += 300
    _ = try rig.perform(.send("x"), by: "boss")
    for text in ["1", "2"] {
      _ = try rig.perform(.updateMessage(id, MessageChanges(text: text)), by: "boss")
    }
    let limit = RateLimit(count: 2, windowMilliseconds: 1000)
    try rig.restart(limit: limit, users: ["boss"])
    #expect(rig.sendCheck(of: "boss", at: rig.now).sends == .init(used: 2, wait: 700))
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
    rig.now += 700
    #expect(try rig.perform(.send("x"), by: "boss").code == nil)
    #expect(try rig.perform(.send("x"), by: "boss").code == .flood)
  }

  @Test("messages of the administrator and of other users fill no user's window after a restart")
  func restartOthers() throws {
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    let rig = try JudgeRig(limit: limit)
    _ = try rig.perform(.send("x", type: .admin), by: .platform)
    _ = try rig.perform(.send("x"), by: "ben")
    try rig.restart(limit: limit, users: ["ann", "ben"])
    #expect(try rig.perform(.send("x"), by: "ann").code == nil)
    #expect(try rig.perform(.send("x"), by: "ben").code == .flood)
  }

  @Test("messages that did not count in a window do not count after a restart")
  func restartExempt() throws {
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    let rig = try JudgeRig(limit: limit, exemptsOperators: true)
    for _ in 0..<3 {
      _ = try rig.perform(.send("x"), by: .platform(onBehalfOf: User(id: "ann")))
      _ = try rig.perform(.send("x"), by: "boss")
    }
    // The new judge exempts no operators, and still counts what the old one would have.
    try rig.restart(limit: limit, users: ["ann", "boss"])
    for user in ["ann", "boss"] {
      #expect(rig.sendCheck(of: user, at: rig.now).sends.used == 0)
      #expect(try rig.perform(.send("x"), by: user).code == nil)
      #expect(try rig.perform(.send("x"), by: user).code == .flood)
    }
  }

  @Test("message times ahead of this server's clock do not block a user for longer")
  func clockAhead() throws {
    let limit = RateLimit(count: 1, windowMilliseconds: 1000)
    let rig = try JudgeRig(limit: limit)
    _ = try rig.perform(.send("x"), by: "ann")
    rig.now -= 60_000
    try rig.restart(limit: limit, users: ["ann"])
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
    rig.now += 1000
    #expect(try rig.perform(.send("x"), by: "ann").code == nil)
  }
}
