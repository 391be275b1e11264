import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// A user's connections on a stage whose windows go on from those of other stages, or are to.
@Suite("Users whose windows are shared with other stages")
struct SharedWindowTests {
  private let rig = SharedRig()

  @Test("a connection waits for the window that another of its user waits for")
  func joins() throws {
    rig.handle(.enterBeside(rig.request(1), server: 2))
    rig.handle(StageInput.enter(rig.request(2)))
    #expect(rig.welcomed == [])
    rig.answer(try #require(rig.question), seq: 3)
    #expect(rig.welcomed == [1, 2])
  }

  @Test("a window that the stage has not reached is not used before")
  func reaches() throws {
    rig.handle(.enterBeside(rig.request(1), server: 2))
    rig.answer(try #require(rig.question), seq: 4)
    rig.handle(StageInput.enter(rig.request(2)))
    #expect(rig.welcomed == [])
    rig.handle(.apply(rig.event(4)))
    #expect(rig.welcomed == [1, 2])
  }

  @Test("a user with such a window stays while another connection of the user recovers")
  func keeps() throws {
    rig.handle(.enterBeside(rig.request(1), server: 2))
    rig.answer(try #require(rig.question), seq: 3)
    rig.handle(StageInput.enter(rig.request(2, recover: 1)))
    rig.handle(.leave(rig.request(1).principal.session, userID: "ann"))
    #expect(rig.left == 0)
    #expect(rig.hasAnn)
    rig.recover()
    #expect(rig.welcomed == [1, 2])
    rig.handle(.leave(rig.request(2).principal.session, userID: "ann"))
    #expect(rig.left == 1)
    #expect(!rig.hasAnn)
  }

  @Test("the user is gone when that connection does not enter")
  func gives() throws {
    rig.handle(.enterBeside(rig.request(1), server: 2))
    rig.answer(try #require(rig.question), seq: 3)
    rig.handle(StageInput.enter(rig.request(2, recover: 1)))
    rig.handle(.leave(rig.request(1).principal.session, userID: "ann"))
    rig.handle(.recovered(1, .failure(.internalError)))
    #expect(rig.released == 1)
    #expect(!rig.hasAnn)
  }

  @Test("a connection recovers what that on another server was shown")
  func recovers() throws {
    rig.handle(.enterBeside(rig.request(1, recover: 0), server: 2))
    let question = try #require(rig.question)
    let window = UserWindow(seq: 3, since: 1, shownTimes: [9], withheldIDs: [2])
    rig.handle(.window(WindowAnswer(question, window)))
    rig.recover(
      (Int64(1)...3).map {
        let message = Message(
          id: $0, channelURL: "lobby", user: User(id: "ben"), text: "", createdAt: $0 * 3)
        return .received(message, seq: $0)
      })
    // The first would leave no room for the third, which the other connection was shown.
    #expect(rig.recovered == [3])
    rig.handle(
      .windowQuestion(WindowQuestion(number: 1, userID: "ann", seq: 3, server: 3)))
    #expect(rig.shared?.since == 0 && rig.shared?.withheldIDs == [1, 2])
  }

  @Test("a new home learns of connections that go on by the word of the home before")
  func claims() {
    rig.handle(.enterBeside(rig.request(1), server: 2))
    rig.handle(StageInput.enter(rig.request(2, "ben", recover: 1)))
    rig.handle(AttachmentInput.attach(1))
    #expect(
      rig.claims == [
        EntryClaim(number: 1, userID: "ann", standing: .awaiting),
        EntryClaim(number: 2, userID: "ben", standing: .holding),
      ])
    rig.recover()
    #expect(rig.settled == [2])
  }

  @Test("a new home learns of whom participants know by the home before")
  func announced() {
    rig.handle(StageInput.enter(rig.request(1)))
    rig.handle(AttachmentInput.released(.users(["ann", "ben"])))
    rig.handle(AttachmentInput.attach(1))
    #expect(rig.announced == .users(["ann", "ben"]))
  }
}

/// A stage beside its home, at event 3 of the channel.
private final class SharedRig {
  private var stage = AttachedStage(
    ChannelStage(
      Channel(url: "lobby", createdAt: 0), epoch: "epoch", lastSeq: 3,
      throttleLimit: RateLimit(count: 1, windowMilliseconds: 1_000), server: 1), url: "lobby")
  /// The connections that have entered.
  private(set) var welcomed: [UInt64] = []
  private(set) var left = 0
  private(set) var released = 0
  private(set) var question: WindowQuestion?
  private(set) var claims: [EntryClaim] = []
  private(set) var settled: [UInt64] = []
  private(set) var announced: AnnouncedUsers?
  /// The messages that the last connection has recovered.
  private(set) var recovered: [Int64] = []
  /// The window that another stage was given.
  private(set) var shared: UserWindow?
  private var reads: [RecoveryRead] = []

  /// Whether the user of most connections is on the stage.
  var hasAnn: Bool { stage.contains("ann") }

  func request(
    _ connection: UInt64, _ userID: String = "ann", recover seq: Int64? = nil
  ) -> EnterRequest {
    let session = SessionAddress(server: 1, shard: 0, connection: connection)
    return EnterRequest(
      principal: SessionPrincipal(user: User(id: userID), session: session),
      recover: seq.map { StreamPosition(epoch: "epoch", seq: $0) },
      address: ReplyAddress(
        session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true))
  }

  func event(_ seq: Int64) -> ChannelEvent {
    ChannelEvent(payload: [], subject: .announcement, seq: seq, timestamp: seq, author: nil)
  }

  func answer(_ question: WindowQuestion, seq: Int64) {
    let window = UserWindow(seq: seq, since: 0, shownTimes: [], withheldIDs: [])
    handle(.window(WindowAnswer(question, window)))
  }

  /// Lets the log answer the open read.
  func recover(_ events: [DurableEvent]) {
    for read in reads { handle(.recovered(read.number, .success(events))) }
    reads = []
  }

  /// Lets the log answer the open reads.
  func recover() {
    let open = reads
    reads = []
    for read in open {
      let events = (read.seq + 1...3).map {
        DurableEvent.deleted(messageID: $0, seq: $0, timestamp: $0)
      }
      handle(.recovered(read.number, .success(events)))
    }
  }

  func handle(_ input: StageInput) {
    var actions = StageActions()
    stage.handle(input, at: Moment(unix: 1_000, monotonic: 0), into: &actions)
    for action in actions.list { perform(action) }
  }

  func handle(_ input: AttachmentInput) {
    var actions = StageActions()
    stage.handle(input, at: Moment(unix: 1_000, monotonic: 0), into: &actions)
    for action in actions.list { perform(action) }
  }

  private func perform(_ action: StageAction) {
    switch action {
    case .welcome(let address, _, let result):
      welcomed.append(address.session.connection)
      let events = (try? JSONDocument(result))?.root["events"]
      recovered = (events.map { Array($0.elements) } ?? []).compactMap {
        $0["params"]?["message"]?["message_id"]?.integer
      }
    case .answerWindow(let answer): shared = answer.window
    case .left: left += 1
    case .release: released += 1
    case .askWindow(let asked, _): question = asked
    case .read(let read): reads.append(read)
    case .report(.attach(let attachment)): announced = attachment.announced
    case .report(.arrive(let piece)): claims = piece.entering
    case .report(.settled(let number, _)): settled.append(number)
    case .report, .repair, .notify, .reply, .deliver, .unsubscribe, .disconnect, .admit,
      .admitObserver, .reattach, .entered, .withheld, .wake:
      break
    }
  }
}
