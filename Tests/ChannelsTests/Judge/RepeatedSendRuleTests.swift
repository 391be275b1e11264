import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: rules of repeated sends")
struct RepeatedSendRuleTests {
  private var rig: JudgeRig

  init() throws { rig = try JudgeRig() }

  private func send(_ requestID: String?, by userID: String = "ann") throws -> SentMessage? {
    try rig.perform(.send("x", requestID), by: userID).sent
  }

  @Test("a request ID is valid until a millisecond before ten minutes, then names a new message")
  mutating func lifetime() throws {
    let first = try #require(try send("r"))
    rig.now += requestIDLifetimeMilliseconds - 1
    #expect(try send("r")?.message.id == first.message.id)
    rig.now += 1
    let second = try #require(try send("r"))
    #expect(second.message.id != first.message.id && second.seq == 2)
  }

  @Test("repetitions do not extend the lifetime of a request ID")
  mutating func notRenewed() throws {
    let first = try #require(try send("r"))
    for _ in 0..<2 {
      rig.now += requestIDLifetimeMilliseconds / 2
      _ = try send("r")
    }
    #expect(try send("r")?.message.id != first.message.id)
  }

  @Test("the lifetime of a request ID continues over a restart")
  mutating func restart() throws {
    let first = try #require(try send("r"))
    rig.now += requestIDLifetimeMilliseconds - 1
    try rig.restart(users: ["ann"])
    #expect(try send("r")?.message.id == first.message.id)
    rig.now += 1
    try rig.restart(users: ["ann"])
    #expect(try send("r")?.seq == 2)
  }

  @Test("the response contains the current message, with its original number")
  mutating func asItIsNow() throws {
    let first = try #require(try send("r"))
    let edit = ChannelCommand.updateMessage(first.message.id, MessageChanges(text: "edited"))
    _ = try rig.perform(edit, by: "ann")
    let again = try #require(try send("r"))
    #expect(again.message.text == "edited" && again.seq == 1 && again.message.updatedAt > 0)
  }

  @Test("the response does not depend on the other fields of the repetition")
  mutating func otherValues() throws {
    let first = try #require(try send("r"))
    let bad = ChannelCommand.send(MessageOrder(.failure(.missing("message")), requestID: "r"))
    #expect(try rig.perform(bad, by: "ann").sent?.message == first.message)
    #expect(try rig.perform(.send("other", "r"), by: "ann").sent?.message.text == "x")
    #expect(rig.events.count == 1)
  }

  @Test(
    "a repetition is answered even if its sender may not send now",
    arguments: ["muted", "frozen", "banned", "absent", "flood"])
  mutating func obstacles(obstacle: String) throws {
    let first = try #require(try send("r"))
    switch obstacle {
    case "muted": _ = try rig.perform(.mute("ann"), by: .platform)
    case "frozen": _ = try rig.perform(.freeze, by: .platform)
    case "banned": _ = try rig.perform(.ban("ann"), by: .platform)
    case "absent": rig.handle(.left(userID: "ann"))
    default: for _ in 0..<4 { _ = try send(nil) }
    }
    #expect(try rig.perform(.send("x"), by: "ann").code != nil)
    let again = try #require(try send("r"))
    #expect(again.message == first.message && again.arrival == .repeated)
    #expect(rig.tally.repeated == 1)
  }

  @Test("in a deleted channel a repetition is refused like any other send")
  mutating func deletedChannel() throws {
    _ = try send("r")
    _ = try rig.perform(.delete, by: .platform)
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    #expect(rig.answers[call]?.code == .notFound && rig.requests.isEmpty)
  }

  @Test("a deleted message is not sent again, even after a restart")
  mutating func withdrawn() throws {
    let id = try #require(try send("r")).message.id
    _ = try rig.perform(.deleteMessage(id), by: "ann")
    try rig.restart(users: ["ann"])
    let error = try #require(try rig.perform(.send("x", "r"), by: "ann").error)
    #expect(error.code == .notFound && error.data.field == "message_id")
    // The deleted message has its place in the window; its repetition takes none.
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 1)
    rig.now += requestIDLifetimeMilliseconds
    #expect(try send("r") != nil)
  }

  @Test("a failed send may be repeated, and is then sent")
  mutating func failed() throws {
    let call = rig.begin(.send("x", "r"), by: .participant("ann"))
    rig.failNext(.unavailable("disk full"))
    #expect(rig.answers[call]?.code == .internalError)
    #expect(try send("r")?.arrival == .sent && rig.events.count == 1)
  }

  @Test("a refused send may be repeated, and is sent once nothing prevents it")
  mutating func refused() throws {
    _ = try rig.perform(.mute("ann", seconds: 1), by: .platform)
    #expect(try rig.perform(.send("x", "r"), by: "ann").code == .muted)
    rig.now += 1_000
    #expect(try send("r")?.arrival == .sent)
  }

  @Test("repetitions of a pending send share its outcome, and count once")
  mutating func joined() throws {
    let calls = (1...4).map {
      rig.begin(.send("x", "r"), by: .participant("ann", session: $0))
    }
    #expect(rig.requests.count == 1)
    rig.answerAll()
    let sent = calls.compactMap { rig.answers[$0]?.sent }
    #expect(sent.map(\.arrival) == [.sent, .joined, .joined, .joined])
    #expect(Set(sent.map(\.message.id)).count == 1 && rig.tally.accepted == 1)
    #expect(rig.events.count == 1 && rig.events[0].author == .sample(1))
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 1)
  }

  @Test("a user's send and the back end's send for that user share request IDs")
  mutating func platform() throws {
    let first = try #require(try send("r"))
    let outcome = try rig.perform(.send("x", "r"), by: .platform(onBehalfOf: User(id: "ann")))
    #expect(outcome.sent?.message.id == first.message.id)
  }

  @Test("admin messages have their own request IDs, separate from those of users")
  mutating func admin() throws {
    let admin = ChannelCommand.send("x", "r", type: .admin)
    let first = try #require(try rig.perform(admin, by: .platform).sent)
    #expect(try rig.perform(admin, by: .platform).sent?.message.id == first.message.id)
    #expect(try send("r")?.message.id != first.message.id)
  }

  @Test("sends without a request ID are never repetitions")
  mutating func nameless() throws {
    let first = rig.begin(.send("x", ""), by: .participant("ann"))
    let second = rig.begin(.send("x", nil), by: .participant("ann"))
    #expect(rig.requests.count == 2)
    rig.answerAll()
    #expect([first, second].map { rig.answers[$0]?.sent?.seq } == [1, 2])
    _ = try rig.perform(.mute("ann"), by: .platform)
    rig.begin(.send("x", ""), by: .participant("ann"))
    #expect(rig.requests.isEmpty)
  }

  @Test("the request ID is returned with the message")
  mutating func name() throws {
    #expect(try send("r")?.message.requestID == "r" && send(nil)?.message.requestID == "")
    #expect(rig.events[0].params?["message"]?["req_id"]?.string == "r")
  }

  @Test("a refused repetition is looked up with the start of its request ID's lifetime")
  mutating func lookUp() throws {
    _ = try send("r")
    _ = try rig.perform(.mute("ann"), by: .platform)
    rig.begin(.send("x", "r"), by: .participant("ann"))
    guard case .read(_, .request("r", "ann", _, let since))? = rig.requests.first else {
      return #expect(Bool(false), "\(rig.requests)")
    }
    #expect(since == rig.now - requestIDLifetimeMilliseconds && !rig.isIdle)
    rig.answerAll()
    #expect(rig.isIdle)
  }

  @Test("each refused send is looked up separately")
  mutating func lookUps() throws {
    let first = try #require(try send("r"))
    let second = try #require(try send("s"))
    _ = try rig.perform(.mute("ann"), by: .platform)
    let calls = ["r", "s", "r"].map { rig.begin(.send("x", $0), by: .participant("ann")) }
    rig.answerAll()
    #expect(
      calls.map { rig.answers[$0]?.sent?.message.id } == [
        first.message.id, second.message.id, first.message.id,
      ])
  }

  @Test("a refusal that was looked up is counted by its own reason")
  mutating func counted() throws {
    _ = try send("r")
    _ = try rig.perform(.mute("ann"), by: .platform)
    rig.now += requestIDLifetimeMilliseconds - 1
    try rig.restart(users: ["ann"])
    let call = rig.begin(.send("x", "other"), by: .participant("ann"))
    #expect(rig.requests.count == 1)
    rig.answerAll()
    #expect(rig.answers[call]?.code == .muted && rig.tally.refused.muted == 1)
    #expect(rig.tally.repeated == 0)
  }
}
