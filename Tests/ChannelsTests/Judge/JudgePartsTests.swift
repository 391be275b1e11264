import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

@Suite("Parts of the judge")
struct JudgePartsTests {
  @Test("events that the log stores have its numbers")
  func numbers() {
    let channel = Channel(url: "lobby", createdAt: 0)
    var count = EventCount(ChannelState(id: 1, channel: channel, epoch: "e", lastSeq: 5), at: 0)
    #expect([count.number(6), count.number(7)] == [6, 7])
    #expect(count.last == 7)
    #expect(count.recorded == 7)
  }

  @Test("an ephemeral channel numbers its own events, from 1 in each epoch")
  func ephemeralNumbers() {
    let channel = Channel(url: "lobby", isEphemeral: true, createdAt: 0)
    var count = EventCount(ChannelState(id: 1, channel: channel, epoch: "e", lastSeq: 5), at: 0)
    #expect([count.next(), count.number(6), count.next()] == [1, 2, 3])
    #expect(count.recorded == 6)
  }

  @Test("created_at only moves forward with the clock, including over a restart")
  func createdAt() {
    let channel = Channel(url: "lobby", createdAt: 0)
    var count = EventCount(
      ChannelState(id: 1, channel: channel, epoch: "e", lastCreatedAt: 100), at: 7)
    func moment(_ unix: Int64) -> Moment { Moment(unix: unix, monotonic: 7) }
    #expect([count.createdAt(at: moment(50)), count.createdAt(at: moment(120))] == [100, 120])
    #expect(count.nextCreatedAt(at: moment(110)) == 120)
    #expect(count.createdAt(at: moment(110)) == 120)
  }

  @Test("requests without a request ID cannot be repeated")
  func requestKeys() {
    #expect(RequestKey(User(id: "ann"), nil) == nil && RequestKey(User(id: "ann"), "") == nil)
    let key = RequestKey(User(id: "ann"), "r")
    #expect(key == RequestKey(userID: "ann", requestID: "r"))
    #expect(RequestKey(nil, "r") == RequestKey(userID: nil, requestID: "r"))
  }

  @Test("only pending sends are joined, and each repetition gets one response")
  func joins() throws {
    var requests = RequestMemory(unknownUntil: 0)
    let key = RequestKey(userID: "ann", requestID: "r")
    #expect(requests.join(key, .platform(1)) == false)
    requests.begin(key, isEphemeral: false, at: 1_000_000)
    #expect([requests.join(key, .platform(2)), requests.join(key, .platform(3))] == [true, true])
    #expect(requests.end(key) == [.platform(2), .platform(3)])
    #expect(requests.end(key) == [])
    #expect(requests.join(key, .platform(4)) == false)
    #expect(requests.mayContain(key, at: 1_000_000) == true)
    let other = RequestKey(userID: "ben", requestID: "r")
    #expect(requests.mayContain(other, at: 1_000_000) == false)
  }

  @Test(
    "every error of the log maps to an error response",
    arguments: [
      (LogError.unavailable("x"), ErrorCode.internalError), (.unknown("x"), .internalError),
      (.overloaded, .internalError), (.tooManyQueries(limit: 3), .rateLimited),
      (.closed, .internalError), (.fenced, .internalError), (.missing(.channel), .notFound),
      (.missing(.message), .notFound), (.exists, .alreadyExists), (.noUser("x"), .notFound),
      (.unstorableText, .characterNotAllowed), (.damaged("secret"), .internalError),
      (.outdatedFile, .internalError),
    ])
  func errors(error: LogError, code: ErrorCode) {
    let answer = ServiceError(error)
    #expect(answer.code == code && !answer.message.contains("secret"))
    #expect((answer.data.outcome == "unknown") == (error == .unknown("x")))
  }

  @Test("an unknown outcome is set in error.data, and parsed from it")
  func unknownOutcome() throws {
    let json = JSONWriter.bytes { ServiceError(.unknown("")).encode(into: &$0) }
    let node = try JSONDocument(json).root
    #expect(node["data"]?["outcome"]?.string == "unknown")
    #expect(ServiceError(json: node)?.data.outcome == "unknown")
    let plain = JSONWriter.bytes { ServiceError.internalError.encode(into: &$0) }
    #expect(try JSONDocument(plain).root["data"]?["outcome"] == nil)
  }

  @Test("a message is updated with a late addition unless it already has it")
  func enrichment() {
    let tag = OpenGraphTag(title: "A")
    let message = Message(id: 1, channelURL: "lobby", user: nil, text: "x", createdAt: 0)
    let enriched = Enrichment.preview(tag).applied(to: message)
    #expect(enriched?.openGraphTag == tag && enriched?.text == "x")
    #expect(enriched.flatMap { Enrichment.preview(tag).applied(to: $0) } == nil)
  }

  @Test("actions are taken in order, and counts are taken once")
  func actions() {
    var actions = JudgeActions()
    actions.append(.renewLimits)
    actions.append(.release)
    actions.count { $0.accepted += 1 }
    let tally = actions.takeTally()
    let rest = actions.takeTally()
    #expect(tally?.accepted == 1 && rest == nil)
    let taken = [actions.next(), actions.next()]
    guard case .renewLimits? = taken[0], case .release? = taken[1] else {
      return #expect(Bool(false))
    }
    #expect(actions.isEmpty)
  }

  @Test("a large mention omits what its reader can fetch")
  func mention() throws {
    let rig = try JudgeRig()
    var draft = MessageDraft(text: "hi", mentionedUserIDs: ["away"])
    draft.data = String(repeating: "d", count: 10_000)
    _ = try rig.perform(.send(MessageOrder(.success(draft), requestID: nil)), by: "ann")
    guard case .mention(_, _, let notification)? = rig.others.last else {
      return #expect(Bool(false))
    }
    let message = try JSONDocument(notification).root["params"]?["message"]
    #expect(message?["data"]?.string == "" && message?["message"]?.string == "hi")
    #expect(notification.count < 2_000)
  }
}
