import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: sending")
struct SendingTests {
  @Test("a message is acknowledged and published once it is durable")
  func publishes() throws {
    let rig = try JudgeRig()
    let call = rig.begin(.send("hi"), by: .participant("ann", session: 7))
    #expect(rig.answers[call] == nil && rig.events.isEmpty)
    rig.answerNext()
    let sent = try #require(rig.answers[call]?.sent)
    #expect(sent.seq == 1 && sent.message.text == "hi" && sent.message.user?.nickname == "ANN")
    #expect(rig.events.map(\.method) == ["message.received"])
    #expect(rig.events[0].author == .sample(7) && rig.events[0].seq == 1)
    #expect(rig.events[0].params?["message"]?["message"]?.string == "hi")
  }

  @Test("the response and the event contain the same bytes")
  func encodesOnce() throws {
    let rig = try JudgeRig()
    let sent = try #require(try rig.perform(.send("hi"), by: "ann").sent)
    let text = String(decoding: rig.events[0].payload, as: UTF8.self)
    #expect(text.contains(String(decoding: sent.shown.json, as: UTF8.self)))
  }

  @Test("refusals follow the order of the contract: banned, absent, frozen, muted, values, flood")
  func order() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    let bad = ChannelCommand.send(MessageOrder(.failure(.missing("message")), requestID: nil))
    #expect(try rig.perform(.send("one"), by: "ann").sent != nil)
    #expect(try rig.perform(.send("two"), by: "ann").code == .flood)
    #expect(try rig.perform(bad, by: "ann").code == .missingParameter)
    _ = try rig.perform(.mute("ann"), by: .platform)
    #expect(try rig.perform(bad, by: "ann").code == .muted)
    _ = try rig.perform(.freeze, by: .platform)
    #expect(try rig.perform(bad, by: "ann").code == .frozen)
    rig.handle(.left(userID: "ann"))
    #expect(try rig.perform(bad, by: "ann").code == .notInChannel)
    _ = try rig.perform(.ban("ann"), by: .platform)
    #expect(try rig.perform(bad, by: "ann").code == .banned)
    #expect(
      rig.tally.refused
        == .init(
          flood: 1, banned: 1, notInChannel: 1, frozen: 1, muted: 1, invalid: 1))
  }

  @Test("a ban and a mute end without an event")
  func restrictionsEnd() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.mute("ann", seconds: 10), by: "boss")
    let count = rig.events.count
    rig.now += 9_999
    #expect(try rig.perform(.send("hi"), by: "ann").code == .muted)
    rig.now += 1
    #expect(try rig.perform(.send("hi"), by: "ann").sent != nil)
    #expect(rig.events.count == count + 1)
  }

  @Test("operators and the Platform API send to a frozen channel")
  func frozen() throws {
    let rig = try JudgeRig(frozen: true)
    #expect(try rig.perform(.send("hi"), by: "ann").code == .frozen)
    #expect(try rig.perform(.send("hi"), by: "boss").sent != nil)
    #expect(try rig.perform(.send("hi"), by: .platform(onBehalfOf: User(id: "away"))).sent != nil)
  }

  @Test("a ban applies to messages from every API, except for the administrator")
  func banned() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.ban("ann"), by: "boss")
    #expect(
      try rig.perform(.send("hi"), by: .platform(onBehalfOf: User(id: "ann"))).code == .banned)
    #expect(try rig.perform(.send("hi", type: .admin), by: .platform).sent != nil)
  }

  @Test("only accepted messages count in the flood window, which slides")
  func flood() throws {
    let rig = try JudgeRig()
    for _ in 0..<5 { #expect(try rig.perform(.send("hi"), by: "ann").sent != nil) }
    for _ in 0..<20 {
      let error = try #require(try rig.perform(.send("hi"), by: "ann").error)
      #expect(error.code == .flood && error.data.retryAfterMilliseconds == 1000)
    }
    #expect(try rig.perform(.send("hi"), by: "ben").sent != nil)
    rig.now += 999
    #expect(try rig.perform(.send("hi"), by: "ann").code == .flood)
    rig.now += 1
    #expect(try rig.perform(.send("hi"), by: "ann").sent != nil)
    #expect(rig.events.count == 7)
  }

  @Test("the flood limit exempts the Platform API, and operators only if configured")
  func exemptions() throws {
    for exempts in [false, true] {
      let rig = try JudgeRig(exemptsOperators: exempts)
      for _ in 0..<9 {
        #expect(try rig.perform(.send("x", type: .admin), by: .platform).sent != nil)
      }
      for _ in 0..<5 { #expect(try rig.perform(.send("x"), by: "boss").sent != nil) }
      #expect(try rig.perform(.send("x"), by: "boss").code == (exempts ? nil : .flood))
    }
  }

  @Test("the flood window survives a restart")
  func floodAfterRestart() throws {
    let rig = try JudgeRig()
    for _ in 0..<5 { _ = try rig.perform(.send("x"), by: "ann") }
    rig.now += 500
    try rig.restart(users: ["ann"])
    #expect(try rig.perform(.send("x"), by: "ann").code == .flood)
    rig.now += 500
    #expect(try rig.perform(.send("x"), by: "ann").sent != nil)
  }

  @Test("a message that could not be stored does not count in the window")
  func failedSendsAreFree() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 1, windowMilliseconds: 1000))
    let call = rig.begin(.send("x"), by: .participant("ann"))
    rig.failNext(.unavailable("disk full"))
    #expect(rig.answers[call]?.code == .internalError)
    #expect(rig.events.isEmpty && rig.tally.failed == 1)
    #expect(try rig.perform(.send("x"), by: "ann").sent?.seq == 1)
  }

  @Test("large events are charged by their bytes")
  func bytes() throws {
    let rig = try JudgeRig(limit: RateLimit(count: 100, windowMilliseconds: 1000))
    let text = String(repeating: "x", count: 5_000)
    var order = MessageDraft(text: text)
    order.data = String(repeating: "y", count: 16_000)
    var refusal: ServiceError?
    for _ in 0..<20 where refusal == nil {
      refusal = try rig.perform(.send(MessageOrder(.success(order), requestID: nil)), by: "ann")
        .error
    }
    #expect(refusal?.code == .flood && rig.events.count >= 5)
  }

  @Test("created_at never decreases, even if the clock is set back")
  func createdAt() throws {
    let rig = try JudgeRig()
    let first = try #require(try rig.perform(.send("1"), by: "ann").sent).message
    rig.now -= 5_000
    let second = try #require(try rig.perform(.send("2"), by: "ben").sent).message
    #expect(second.createdAt == first.createdAt && second.id > first.id)
  }

  @Test("a message of an operator is marked as such")
  func operatorMessage() throws {
    let rig = try JudgeRig()
    #expect(try rig.perform(.send("x"), by: "boss").sent?.message.isOperatorMessage == true)
    #expect(try rig.perform(.send("x"), by: "ann").sent?.message.isOperatorMessage == false)
  }

  @Test("absent mentioned users are notified, on the sender's account unless it is the back end")
  func mentions() throws {
    let rig = try JudgeRig()
    _ = try rig.perform(.send("x", mentioning: ["ben", "away", "nobody"]), by: "ann")
    _ = try rig.perform(
      .send("x", mentioning: ["away"]), by: .platform(onBehalfOf: User(id: "ann")))
    let mentions = rig.others.compactMap { action -> ([String], MentionAuthor)? in
      if case .mention(let ids, let author, _) = action { (ids, author) } else { nil }
    }
    #expect(mentions.map(\.0) == [["away"], ["away"]])
    #expect(mentions.map(\.1) == [.user("ann"), .platform(onBehalfOf: "ann")])
  }

  @Test("a text that cannot be stored is refused by the log and changes nothing")
  func unstorable() throws {
    let rig = try JudgeRig()
    #expect(try rig.perform(.send("a\u{0}b"), by: "ann").code == .characterNotAllowed)
    #expect(rig.events.isEmpty && rig.isIdle)
  }

  @Test("a message too large for an event is refused")
  func tooLarge() throws {
    let rig = try JudgeRig()
    var draft = MessageDraft(text: "x")
    draft.data = String(repeating: "\u{1}", count: 16_000)
    let outcome = try rig.perform(.send(MessageOrder(.success(draft), requestID: nil)), by: "ann")
    #expect(outcome.code == .tooLong && outcome.error?.data.field == "data")
  }
}
