import FloodControl
import ParleyProtocol

@testable import Channels

/// A channel on three servers: a home, the log, and a stage on each server with participants, joined by
/// queues that a test delivers from and cuts.
final class SeveralStages {
  enum Mail {
    case report(StageReport, StageAddress)
    case news([StageNews], attachment: UInt64)
    case question(WindowQuestion)
    case window(WindowAnswer)
    /// All stages of a server have been reported to the homes of a ring.
    case reported(ring: Int)
  }

  /// The time that a connection was in the channel, and what it was sent.
  final class Stay {
    let session: SessionAddress
    let user: String
    /// The last event before it.
    var start: Int64?
    var count = 0
    /// The numbers of the events that it was sent.
    var seqs: [Int64] = []
    /// The ranges of messages that it was notified of as withheld.
    var withheld: [ClosedRange<Int64>] = []
    /// Whether each user was last said to have entered.
    var notices: [String: Bool] = [:]
    var hasEnded = false

    init(_ session: SessionAddress, _ user: String) {
      self.session = session
      self.user = user
    }
  }

  final class Server {
    let number: UInt16
    var stage: AttachedStage?
    var attachment: UInt64 = 0
    /// The home that the server knows, and since which change.
    var home: UInt16 = 0
    var ring = 0
    var wakeTime: Int64?
    var attachTime: Int64?
    /// Reads that are not answered.
    var reads: [(AttachedInput)] = []

    init(_ number: UInt16) { self.number = number }
  }

  enum AttachedInput {
    case recovered(Int, after: Int64)
    case repaired(UInt64, after: Int64)
  }

  let servers = (UInt16(0)..<3).map(Server.init)
  private let limit: RateLimit
  private(set) var homeServer: UInt16 = 0
  /// Counts the homes that the channel has had.
  private var ring = 0
  private(set) var home = ChannelHome(url: "lobby", server: 0)
  private var presenceTime: Int64?
  private(set) var log: [DurableEvent] = []
  private(set) var banned: Set<String> = []
  private(set) var stays: [Stay] = []
  private var queues: [[[Mail]]] = Array(repeating: Array(repeating: [], count: 3), count: 3)
  private var lastAttachment: UInt64 = 0
  private(set) var refusals = 0
  private(set) var now: Int64 = 0

  init(limit: RateLimit) { self.limit = limit }

  private var moment: Moment { Moment(unix: now + 1_000_000, monotonic: now) }
  private var record: Channel {
    Channel(url: "lobby", operators: [User(id: "u0")], createdAt: 0)
  }
  var lastSeq: Int64 { log.last?.seq ?? 0 }

  // MARK: Steps

  func enter(_ session: SessionAddress, _ user: String, recover seq: Int64?) {
    guard stay(of: session) == nil else { return }
    stays.append(Stay(session, user))
    enter(
      EnterRequest(
        principal: SessionPrincipal(user: User(id: user), session: session),
        recover: seq.map { StreamPosition(epoch: "epoch", seq: $0) },
        address: ReplyAddress(
          session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)))
  }

  private func enter(_ request: EnterRequest) {
    let server = servers[Int(request.principal.session.server)]
    if isAttached(server) {
      return handle(AttachmentInput.enter(request), server)
    }
    guard server.home == server.number, homeServer == server.number else {
      if server.stage == nil {
        server.stage = AttachedStage(url: "lobby", server: server.number)
        attach(server)
      }
      return handle(AttachmentInput.enter(request), server)
    }
    guard !home.isGathering else { return home.hold(.here(request)) }
    admit(request, server)
  }

  private func admit(_ request: EnterRequest, _ server: Server) {
    let isNew = server.stage == nil
    if server.stage == nil {
      server.stage = AttachedStage(
        ChannelStage(
          record, epoch: "epoch", lastSeq: lastSeq, throttleLimit: limit, server: server.number),
        url: "lobby")
    }
    let user = request.principal.user.id
    if isNew { handle(.elsewhere(home.localElsewhere), server) }
    guard !banned.contains(user) else { return handle(.refuse(request, .banned("lobby")), server) }
    let other = home.admit(user) { server.stage?.isEntering($0) ?? false }
    handle(other.map { .enterBeside(request, server: $0) } ?? .enter(request), server)
  }

  func leave(_ session: SessionAddress) {
    guard let stay = stay(of: session), stay.start != nil else { return }
    stay.hasEnded = true
    handle(.leave(session, userID: stay.user), servers[Int(session.server)])
  }

  func send(by user: String, from author: SessionAddress?) {
    let message = Message(
      id: lastSeq + 1, channelURL: "lobby", user: User(id: user), text: "",
      createdAt: moment.unix)
    publish(.received(message, seq: lastSeq + 1), author: author)
  }

  func announce() {
    publish(
      .channel(
        LoggedEvent(
          name: .channelFrozen, payload: "{}", seq: lastSeq + 1, timestamp: moment.unix)),
      author: nil)
  }

  func ban(_ user: String) {
    banned.insert(user)
    let event = Event.userBanned(
      Event.Restriction(user: User(id: user), seconds: 60, description: ""))
    guard let logged = LoggedEvent(event, seq: lastSeq + 1, timestamp: moment.unix) else { return }
    publish(.channel(logged), author: nil)
  }

  func unban(_ user: String) { banned.remove(user) }

  private func publish(_ event: DurableEvent, author: SessionAddress?) {
    log.append(event)
    let info = ChannelInfo(record, participantCount: home.roster.count)
    guard let content = event.event(in: info) else { return }
    let published = ChannelEvent(
      content, in: "lobby", seq: event.seq, at: event.timestamp, author: author)
    let server = servers[Int(homeServer)]
    if isBesideHome(server) { handle(.apply(published), server) }
    home.tellAll(.event(published))
    if case .expulsion(let user) = published.subject { handle(.expelled(userID: user)) }
  }

  /// Delivers the first message from one server to another.
  func deliver(from sender: Int, to receiver: Int) {
    guard !queues[sender][receiver].isEmpty else { return }
    let mail = queues[sender][receiver].removeFirst()
    receive(mail, from: UInt16(sender), at: servers[receiver])
  }

  /// Loses what is under way between two servers; both sides learn of it.
  func cut(_ one: Int, _ other: Int) {
    guard one != other else { return }
    queues[one][other] = []
    queues[other][one] = []
    for (server, peer) in [(servers[one], UInt16(other)), (servers[other], UInt16(one))] {
      if isAttached(server), server.home == peer { attach(server) }
      if server.home == peer { reportStages(server) }
      handle(.serverGone(peer), server)
    }
  }

  /// Makes another server the channel's home; the others learn of it by ``learnHome(_:)``.
  func moveHome(to server: UInt16) {
    guard server != homeServer else { return }
    home.tellAll(.released)
    flushHome()
    _ = home.stopAwaitingAll(at: moment)
    let applicants = home.takeApplicants()
    let old = servers[Int(homeServer)]
    makeHome(on: server)
    for server in [old, servers[Int(server)]] { learnHome(Int(server.number)) }
    for case .here(let request) in applicants { enter(request) }
  }

  private func makeHome(on server: UInt16) {
    ring += 1
    homeServer = server
    var awaited: Set<UInt16> = [0, 1, 2]
    if servers[Int(server)].stage == nil { awaited.remove(server) }
    home = ChannelHome(url: "lobby", server: server, awaiting: awaited)
    presenceTime = nil
  }

  /// Ends a server as a crash does; another of its number starts at once.
  func kill(_ number: UInt16, nextHome: UInt16) {
    let server = servers[Int(number)]
    for stay in stays where stay.session.server == number { stay.hasEnded = true }
    server.stage = nil
    server.wakeTime = nil
    server.attachTime = nil
    server.reads = []
    for peer in 0..<3 {
      queues[Int(number)][peer] = []
      queues[peer][Int(number)] = []
    }
    if homeServer == number {
      makeHome(on: nextHome == number ? (number + 1) % 3 : nextHome)
      perform(home.stopAwaiting(number, at: moment))
      learnHome(Int(homeServer))
    } else {
      perform(home.remove(server: number, at: moment))
    }
    (server.home, server.ring) = (homeServer, ring)
    for survivor in servers where survivor.number != number {
      handle(.serverGone(number), survivor)
    }
  }

  func learnHome(_ number: Int) {
    let server = servers[number]
    guard server.ring != ring else { return }
    server.home = homeServer
    server.ring = ring
    if server.stage != nil { attach(server) }
    reportStages(server)
  }

  /// Lets the home know that it has been sent all that a server has.
  private func reportStages(_ server: Server) {
    queues[Int(server.number)][Int(server.home)].append(.reported(ring: server.ring))
  }

  func answerRead(_ number: Int) {
    let server = servers[number]
    guard !server.reads.isEmpty else { return }
    switch server.reads.removeFirst() {
    case .recovered(let read, let seq):
      handle(StageInput.recovered(read, .success(events(after: seq))), server)
    case .repaired(let attachment, let seq):
      handle(
        AttachmentInput.repaired(attachment, .success(events(after: seq)), awaited: []), server)
    }
  }

  private func events(after seq: Int64) -> [DurableEvent] { log.filter { $0.seq > seq } }

  /// Ends a turn everywhere, and lets time pass.
  func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    flush()
    while true {
      let times =
        servers.flatMap { [$0.wakeTime, $0.attachTime] }.compactMap(\.self)
        + [presenceTime].compactMap(\.self)
      guard let time = times.min(), time <= end else { break }
      now = max(now, time)
      if let time = presenceTime, time <= now {
        presenceTime = nil
        handle(PresenceInput.deadline)
      }
      for server in servers {
        if let time = server.wakeTime, time <= now {
          server.wakeTime = nil
          if server.stage != nil { handle(StageInput.deadline, server) }
        }
        if let time = server.attachTime, time <= now { attach(server) }
      }
      flush()
    }
    now = end
  }

  func flush() {
    for server in servers where server.stage?.awaitsEndOfTurn == true {
      handle(StageInput.endOfTurn, server)
    }
    flushHome()
  }

  private func flushHome() {
    let server = servers[Int(homeServer)]
    if let count = home.takeElsewhere(), isBesideHome(server) {
      handle(.elsewhere(count), server)
    }
    for packet in home.takePackets() {
      let news = Mail.news(packet.news, attachment: packet.address.attachment)
      queues[Int(homeServer)][Int(packet.address.server)].append(news)
    }
  }

  /// Whether anything is under way.
  var isQuiet: Bool {
    queues.allSatisfy { $0.allSatisfy(\.isEmpty) } && servers.allSatisfy(\.reads.isEmpty)
      && servers.allSatisfy { $0.attachTime == nil }
  }

  func stay(of session: SessionAddress) -> Stay? {
    stays.last { $0.session == session && !$0.hasEnded }
  }

  /// The users with a connection in the channel.
  var present: Set<String> {
    Set(stays.filter { !$0.hasEnded && $0.start != nil }.map(\.user))
  }

  // MARK: The home

  private func receive(_ mail: Mail, from sender: UInt16, at server: Server) {
    switch mail {
    case .report(let report, let address): receive(report, address, at: server)
    case .news(let news, let attachment):
      if server.stage != nil { handle(AttachmentInput.news(attachment, news), server) }
    case .question(let question):
      if server.stage == nil {
        let answer = Mail.window(WindowAnswer(question, nil))
        queues[Int(server.number)][Int(question.server)].append(answer)
      } else {
        handle(.windowQuestion(question), server)
      }
    case .reported(let ring):
      guard ring == self.ring, server.number == homeServer else { return }
      perform(home.stopAwaiting(sender, at: moment))
    case .window(let answer):
      if server.stage != nil { handle(.window(answer), server) }
    }
  }

  private func receive(_ report: StageReport, _ address: StageAddress, at server: Server) {
    if server.number == homeServer, case .attach(let attachment) = report {
      let start = StageStart(
        channel: record, channelID: 1, epoch: "epoch", seq: lastSeq, throttleLimit: limit,
        announced: home.announced)
      return home.attach(attachment, at: address, from: start)
    }
    guard server.number == homeServer, home.isAttached(address) else {
      let news = Mail.news([.released], attachment: address.attachment)
      queues[Int(server.number)][Int(address.server)].append(news)
      return
    }
    switch report {
    case .attach: break
    case .arrive(let piece): perform(home.arrive(piece, at: address, at: moment))
    case .admit(let number, let user):
      guard !home.isGathering else {
        return home.hold(.elsewhere(user, number: number, address))
      }
      admit(user, number, address)
    case .entered(let user, let session):
      if !banned.contains(user.id) { handle(.entered(user, session)) }
    case .settled(let number, let userID):
      home.settle(number, of: userID, on: address.server)
    case .left(let userID, let heirs):
      handle(.left(userID: userID, server: address.server, heirs: heirs))
    case .detach: perform(home.detach(address, at: moment))
    }
  }

  private func admit(_ user: User, _ number: UInt64, _ address: StageAddress) {
    let server = servers[Int(homeServer)]
    let result: Result<UInt16?, ServiceError> =
      banned.contains(user.id)
      ? .failure(.banned("lobby"))
      : .success(
        home.admit(user.id, number, on: address.server) {
          isBesideHome(server) && server.stage?.isEntering($0) == true
        })
    home.tell(.admitted(number, result), server: address.server)
  }

  private func handle(_ input: PresenceInput) { perform(home.handle(input, at: moment)) }

  private func perform(_ actions: [PresenceAction]) {
    let server = servers[Int(homeServer)]
    for action in actions {
      switch action {
      case .publish(let notice):
        if isBesideHome(server) { handle(.notice(notice), server) }
      case .wake(let time): presenceTime = time
      case .readProfiles(let userIDs): for userID in userIDs { handle(.profile(User(id: userID))) }
      case .present, .absent: break
      }
    }
    for applicant in home.takeApplicants() {
      switch applicant {
      case .here(let request): enter(request)
      case .elsewhere(let user, let number, let address):
        if home.isAttached(address) { admit(user, number, address) }
      }
    }
  }

  // MARK: Stages

  private func attach(_ server: Server) {
    lastAttachment += 1
    server.attachment = lastAttachment
    server.attachTime = nil
    handle(AttachmentInput.attach(lastAttachment), server)
  }

  private func handle(_ input: StageInput, _ server: Server) {
    var actions = StageActions()
    server.stage?.handle(input, at: moment, into: &actions)
    for action in actions.list { perform(action, server) }
  }

  private func handle(_ input: AttachmentInput, _ server: Server) {
    var actions = StageActions()
    server.stage?.handle(input, at: moment, into: &actions)
    for action in actions.list { perform(action, server) }
  }

  private func report(_ report: StageReport, _ server: Server) {
    let address = StageAddress(server: server.number, attachment: server.attachment)
    queues[Int(server.number)][Int(server.home)].append(.report(report, address))
  }

  private func isAttached(_ server: Server) -> Bool { server.stage?.isBesideHome == false }

  private func isBesideHome(_ server: Server) -> Bool { server.stage?.isBesideHome == true }

  private func perform(_ action: StageAction, _ server: Server) {
    switch action {
    case .deliver(let plan, let shard): deliver(plan, shard, server)
    case .notify(let payload, let sessions, _):
      for session in sessions { send(payload, to: session) }
    case .reply(let address, _):
      refusals += 1
      stay(of: address.session)?.hasEnded = true
    case .welcome(let address, _, let result): welcome(address.session, result)
    case .release(let principal):
      if server.stage?.contains(principal.user.id) == false {
        didLeave(principal.user.id, [], server)
      }
    case .unsubscribe(let session), .disconnect(let session): stay(of: session)?.hasEnded = true
    case .read(let read): server.reads.append(.recovered(read.number, after: read.seq))
    case .entered(let user, let session):
      if isBesideHome(server) {
        handle(.entered(user, session))
      } else {
        report(.entered(user, session), server)
      }
    case .left(let userID, let heirs): didLeave(userID, heirs, server)
    case .admit(let request): enter(request)
    case .askWindow(let question, let other):
      queues[Int(server.number)][Int(other)].append(.question(question))
    case .answerWindow(let answer):
      queues[Int(server.number)][Int(answer.question.server)].append(.window(answer))
    case .report(let report): self.report(report, server)
    case .repair(let attachment, _, let seq):
      server.reads.append(.repaired(attachment, after: seq))
    case .reattach: server.attachTime = now + 200
    case .withheld: break
    case .wake(let time): server.wakeTime = time
    }
  }

  private func didLeave(_ userID: String, _ heirs: [UInt16], _ server: Server) {
    if isBesideHome(server) {
      handle(.left(userID: userID, server: server.number, heirs: heirs))
    } else {
      report(.left(userID: userID, heirs: heirs), server)
    }
  }

  private func welcome(_ session: SessionAddress, _ result: [UInt8]) {
    guard let stay = stay(of: session), let root = try? JSONDocument(result).root else {
      // The connection is gone: its server reports that.
      return handle(.leave(session, userID: ""), servers[Int(session.server)])
    }
    stay.start = root["seq"]?.integer
    stay.count = Int(root["participant_count"]?.integer ?? -1)
  }

  private func deliver(_ plan: FanOutPlan, _ shard: Int, _ server: Server) {
    var shares: [UInt64: FanOutPlan.Share] = [:]
    for exception in plan.exceptions { shares[exception.connection] = exception.share }
    for stay in stays where !stay.hasEnded && stay.start != nil {
      guard stay.session.server == server.number, Int(stay.session.shard) == shard else { continue }
      let share = shares[stay.session.connection] ?? plan.common
      for (index, payload) in plan.payloads.enumerated() where share.contains(index) {
        send(payload, to: stay.session)
      }
    }
  }

  private func send(_ payload: [UInt8], to session: SessionAddress) {
    guard let stay = stay(of: session), let root = try? JSONDocument(payload).root else { return }
    let params = root["params"]
    if let seq = params?["seq"]?.integer { stay.seqs.append(seq) }
    if let user = params?["user"]?["user_id"]?.string {
      switch root["method"]?.string {
      case "channel.user_entered": stay.notices[user] = true
      case "channel.user_exited": stay.notices[user] = false
      case _: break
      }
    }
    if root["method"]?.string == "channel.throttled",
      let first = params?["first_message_id"]?.integer,
      let last = params?["last_message_id"]?.integer
    {
      stay.withheld.append(first...last)
    }
  }
}
