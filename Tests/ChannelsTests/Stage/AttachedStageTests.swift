import FloodControl
import ParleyProtocol
import Testing

@testable import Channels

/// A stage on another server than its channel's home, and what it reads from the log.
@Suite("An attached stage and the log")
struct AttachedStageTests {
  private let rig = AttachedRig()

  @Test("no events are published after a connection's last read until the read is answered")
  func lastRead() throws {
    rig.attach(1, seq: 1)
    rig.enter("ann", recover: 0)
    for seq in Int64(2)...4 {
      let read = try #require(rig.takeRead())
      guard case .beside = read.path else { return #expect(Bool(false)) }
      rig.news([.event(rig.event(seq))])
      rig.answer(read, upTo: seq - 1)
    }
    let last = try #require(rig.takeRead())
    guard case .behindWrites = last.path else { return #expect(Bool(false)) }
    rig.news([.event(rig.event(5)), .event(rig.event(6))])
    rig.answer(last, upTo: 4)
    #expect(rig.welcomes == [4])
    #expect(rig.takeDelivered() == [5, 6])
  }

  @Test("a connection misses nothing if the stage attaches to another home during its last read")
  func move() throws {
    rig.attach(1, seq: 1)
    rig.enter("ann", recover: 0)
    for seq in Int64(2)...4 {
      let read = try #require(rig.takeRead())
      rig.news([.event(rig.event(seq))])
      rig.answer(read, upTo: seq - 1)
    }
    let overtaken = try #require(rig.takeRead())
    rig.attach(2, seq: 9)
    rig.repair(upTo: 9)
    rig.answer(overtaken, upTo: 4)
    #expect(rig.welcomes == [])
    rig.answer(try #require(rig.takeRead()), upTo: 9)
    #expect(rig.welcomes == [9])
  }

  @Test("an observer waits for the attachment, and keeps the stage attached")
  func observer() {
    rig.observe()
    #expect(rig.observations == [] && !rig.isIdle)
    rig.attach(1, seq: 3)
    #expect(rig.observations == [3] && !rig.isIdle)
    rig.news([.event(rig.event(4))])
    #expect(rig.takeHeard() == [4] && rig.takeDelivered() == [])
  }

  @Test("an observer of a deleted channel is refused")
  func observerOfNothing() {
    rig.observe()
    rig.ask(1)
    rig.news([.absent])
    #expect(rig.replyCount == 1 && rig.observations == [] && rig.isIdle)
  }

  @Test("events read from the log before the home sent them are applied once")
  func polled() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.poll(upTo: 3)
    #expect(rig.takeDelivered() == [2, 3])
    rig.news([.event(rig.event(2)), .event(rig.event(3)), .event(rig.event(4))])
    #expect(rig.takeDelivered() == [4])
    // The link was reset, and its home is not heard again so far.
    rig.ask(2)
    rig.poll(upTo: 6)
    #expect(rig.takeDelivered() == [5, 6])
    rig.start(seq: 8)
    rig.repair(upTo: 8)
    rig.news([.event(rig.event(9))])
    #expect(rig.takeDelivered() == [7, 8, 9])
  }

  @Test("the home's events are delivered after the events that could not be read before them")
  func failedRepair() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.ask(2)
    rig.start(seq: 4)
    rig.news([.event(rig.event(5))])
    rig.failRepair()
    rig.news([.event(rig.event(6))])
    #expect(rig.takeDelivered() == [])
    rig.attach(3, seq: 6)
    rig.repair(upTo: 6)
    rig.news([.event(rig.event(7))])
    #expect(rig.takeDelivered() == [2, 3, 4, 5, 6, 7])
  }

  @Test("responses that follow unread events wait for these events")
  func answersAfterFailedRepair() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.ask(2)
    rig.start(seq: 4)
    rig.answer()
    rig.failRepair()
    rig.answer()
    rig.endTurn()
    #expect(rig.replyCount == 0)
    rig.attach(3, seq: 4)
    rig.repair(upTo: 4)
    rig.endTurn()
    #expect(rig.replyCount == 2)
    #expect(rig.takeDelivered() == [2, 3, 4])
  }

  @Test("a response from a home unknown to the stage waits for the preceding events")
  func early() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.reply(after: 3)
    rig.news([.event(rig.event(2))])
    #expect(rig.takeDelivered() == [2] && rig.replyCount == 0)
    rig.news([.event(rig.event(3))])
    #expect(rig.takeDelivered() == [3] && rig.replyCount == 1)
    rig.reply(after: 3)
    #expect(rig.replyCount == 2)
    // The events come from the log once the stage knows the home.
    rig.reply(after: 5)
    rig.attach(2, seq: 5)
    #expect(rig.takeDelivered() == [] && rig.replyCount == 2)
    rig.repair(upTo: 5)
    #expect(rig.takeDelivered() == [4, 5] && rig.replyCount == 3)
    // Another epoch has another count.
    rig.reply(after: 9)
    #expect(rig.takeDelivered() == [] && rig.replyCount == 3)
    rig.ask(3)
    rig.start(seq: 2, epoch: "next")
    rig.endTurn()
    #expect(rig.replyCount == 4)
  }

  @Test("responses that wait for events of a deleted channel are delivered after its end")
  func answersAfterTheEnd() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.ask(2)
    rig.reply(after: 5)
    #expect(rig.replyCount == 0)
    rig.news([.absent])
    rig.endTurn()
    #expect(rig.replyCount == 1)
    #expect(rig.takeSequence() == ["deliver 2", "reply"])
    rig.reply(after: 7)
    #expect(rig.replyCount == 2 && rig.isIdle)
    // The channel may be made anew.
    rig.attach(3, seq: 0, epoch: "next")
    rig.reply(after: 1)
    #expect(rig.replyCount == 2)
    rig.news([.event(rig.event(1))])
    rig.endTurn()
    #expect(rig.replyCount == 3)
  }

  @Test("a new home is asked to admit users whose requests the previous home has not answered")
  func questions() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.enter("ben", isGranted: false)
    _ = rig.takeReports()
    rig.leave("ann")
    rig.ask(2)
    #expect(rig.takeReports() == ["left ann", "attach", "arrive", "admit 2 ben"])
    rig.start(seq: 1)
    rig.grant(2)
    rig.grant(2)
    rig.ask(3)
    #expect(rig.takeReports() == ["attach", "arrive"])
    #expect(rig.welcomes.count == 2)
  }

  @Test("a user who is also on another server is counted once")
  func elsewhere() {
    rig.attach(1, seq: 1)
    rig.news([.elsewhere(3)])
    rig.enter("ann")
    rig.enter("ben", isGranted: false)
    rig.grant(2, isElsewhere: true)
    rig.enter("ben")
    #expect(rig.counts == [4, 4, 5])
  }

  @Test("a new home receives the users that the previous home announced to participants")
  func announced() {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.handle(AttachmentInput.released(.users(["ann", "ben"])))
    rig.ask(2)
    #expect(rig.announced == .users(["ann", "ben"]))
  }

  @Test("events in the log are read later while another read is pending")
  func busy() throws {
    rig.attach(1, seq: 1)
    rig.enter("ann")
    rig.ask(2)
    rig.start(seq: 4)
    rig.poll(upTo: 5)
    #expect(rig.takeDelivered() == [])
    rig.repair(upTo: 4)
    rig.poll(upTo: 5)
    #expect(rig.takeDelivered() == [2, 3, 4, 5])
  }
}

/// An attached stage, and a log of deletions that it reads: event n is of message n.
private final class AttachedRig {
  private var stage = AttachedStage(url: "lobby", server: 1)
  private var attachment: UInt64 = 0
  private var reads: [RecoveryRead] = []
  private var repairs: [(number: UInt64, seq: Int64)] = []
  private var delivered: [Int64] = []
  /// The `seq`s that connections have entered with.
  private(set) var welcomes: [Int64] = []
  /// The numbers of participants that they were told.
  private(set) var counts: [Int64] = []
  /// The users of whom the last home was told that participants know.
  private(set) var announced: AnnouncedUsers?
  private(set) var replyCount = 0
  private var lastConnection = 0
  /// Whether the home lets in those about whom it is asked.
  private var isGranting = true
  private var sessions: [String: SessionAddress] = [:]
  private var reports: [String] = []
  private(set) var observations: [Int64] = []
  private var heard: [Int64] = []
  /// The deliveries and replies in their order.
  private var sequence: [String] = []

  func event(_ seq: Int64) -> ChannelEvent {
    ChannelEvent(
      payload: Array("\(seq)".utf8), subject: .deletion(ofMessage: seq), seq: seq, timestamp: seq,
      author: nil)
  }

  func attach(_ number: UInt64, seq: Int64, epoch: String = "epoch") {
    ask(number)
    start(seq: seq, epoch: epoch)
  }

  /// Has the stage ask its home.
  func ask(_ number: UInt64) {
    isGranting = false
    defer { isGranting = true }
    attachment = number
    handle(AttachmentInput.attach(number))
  }

  /// Brings the outcome of a call from a home that the stage may not be attached to.
  func reply(after seq: Int64) {
    handle(AttachmentInput.answer(caller, .failure(.internalError), after: seq))
    handle(StageInput.endOfTurn)
  }

  /// Brings the outcome of a call among the news of the home.
  func answer() { news([.answer(caller, .failure(.internalError))]) }

  private var caller: ReplyAddress {
    ReplyAddress(
      session: .sample(1), ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
      limit: Limits.answerByteCount)
  }

  /// Lets the home answer.
  func start(seq: Int64, epoch: String = "epoch") {
    news([
      .attached(
        StageStart(
          channel: Channel(url: "lobby", createdAt: 0), channelID: 7, epoch: epoch, seq: seq,
          throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), announced: nil))
    ])
  }

  func news(_ news: [StageNews]) { handle(AttachmentInput.news(attachment, news)) }

  func enter(_ userID: String, recover seq: Int64? = nil, isGranted: Bool = true) {
    isGranting = isGranted
    defer { isGranting = true }
    lastConnection += 1
    let session = SessionAddress.sample(lastConnection)
    sessions[userID] = session
    handle(
      AttachmentInput.enter(
        EnterRequest(
          principal: SessionPrincipal(user: User(id: userID), session: session),
          recover: seq.map { StreamPosition(epoch: "epoch", seq: $0) },
          address: ReplyAddress(
            session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
            limit: Limits.answerByteCount))))
  }

  /// Has the home let a connection in.
  func grant(_ number: UInt64, isElsewhere: Bool = false) {
    news([.admitted(number, .success(isElsewhere))])
  }

  /// Has an observer ask to hear the channel.
  func observe() {
    handle(
      StageInput.observe(
        ReplyAddress(
          session: .sample(99), ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
          limit: Limits.answerByteCount)))
  }

  var isIdle: Bool { stage.isIdle }

  /// The events that observers have heard.
  func takeHeard() -> [Int64] {
    handle(StageInput.endOfTurn)
    defer { heard = [] }
    return heard
  }

  func leave(_ userID: String) {
    if let session = sessions[userID] { handle(StageInput.leave(session, userID: userID)) }
  }

  /// The deliveries and replies since the last call, in their order.
  func takeSequence() -> [String] {
    defer { sequence = [] }
    return sequence
  }

  /// The reports to the home about users who ask to enter and who have left.
  func takeReports() -> [String] {
    defer { reports = [] }
    return reports
  }

  /// Reads what the home could not send.
  func poll(upTo seq: Int64) {
    let events = log(after: stage.position?.seq ?? 0, upTo: seq)
    handle(AttachmentInput.polled(events, epoch: "epoch", awaited: []))
  }

  func takeRead() -> RecoveryRead? { reads.isEmpty ? nil : reads.removeFirst() }

  func answer(_ read: RecoveryRead, upTo seq: Int64) {
    handle(StageInput.recovered(read.number, .success(log(after: read.seq, upTo: seq))))
  }

  func repair(upTo seq: Int64) {
    for repair in repairs {
      handle(
        AttachmentInput.repaired(
          repair.number, .success(log(after: repair.seq, upTo: seq)), awaited: []))
    }
    repairs = []
  }

  /// Has the log not answer.
  func failRepair() {
    for repair in repairs {
      handle(AttachmentInput.repaired(repair.number, .failure(.internalError), awaited: []))
    }
    repairs = []
  }

  func endTurn() { handle(StageInput.endOfTurn) }

  /// The events that were delivered to those who are in.
  func takeDelivered() -> [Int64] {
    handle(StageInput.endOfTurn)
    defer { delivered = [] }
    return delivered
  }

  private func log(after start: Int64, upTo end: Int64) -> [DurableEvent] {
    start < end
      ? (start + 1...end).map { .deleted(Event.Deletion(messageID: $0), seq: $0, timestamp: $0) }
      : []
  }

  private func handle(_ input: StageInput) {
    var actions = StageActions()
    stage.handle(input, at: Moment(unix: 1_000, monotonic: 0), into: &actions)
    for action in actions.list { perform(action) }
  }

  func handle(_ input: AttachmentInput) {
    var actions = StageActions()
    stage.handle(input, at: Moment(unix: 1_000, monotonic: 0), into: &actions)
    for action in actions.list { perform(action) }
  }

  /// The number of an event of the home, or of one from the log.
  private static func seq(of payload: [UInt8]) -> Int64 {
    Int64(String(decoding: payload, as: UTF8.self))
      ?? (try? JSONDocument(payload))?.root["params"]?["seq"]?.integer ?? -1
  }

  private func perform(_ action: StageAction) {
    switch action {
    case .read(let read): reads.append(read)
    case .repair(let number, _, let seq): repairs.append((number, seq))
    case .report(.admit(let number, let principal)):
      let userID = principal.user.id
      if isGranting { grant(number) } else { reports.append("admit \(number) \(userID)") }
    case .left(let userID), .report(.left(let userID)): reports.append("left \(userID)")
    case .report(.attach(let attachment)):
      reports.append("attach")
      announced = attachment.announced
    case .report(.arrive): reports.append("arrive")
    case .welcome(_, _, let result):
      let root = (try? JSONDocument(result))?.root
      welcomes.append(root?["seq"]?.integer ?? -1)
      counts.append(root?["participant_count"]?.integer ?? -1)
    case .deliver(let plan, _):
      delivered += plan.payloads.map(Self.seq)
      sequence += plan.payloads.map { "deliver \(Self.seq(of: $0))" }
    case .reply:
      replyCount += 1
      sequence.append("reply")
    case .admitObserver(_, let result):
      observations.append((try? JSONDocument(result))?.root["seq"]?.integer ?? -1)
    case .notify(let payload, _, _): heard.append(Self.seq(of: payload))
    case .report(.entered), .report(.detach), .report(.sought), .report(.vacant), .release,
      .unsubscribe, .disconnect, .reattach, .entered, .withheld, .seek, .subscribe, .renew,
      .recovered,
      .wake:
      break
    }
  }
}
