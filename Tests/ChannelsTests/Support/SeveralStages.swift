import FloodControl
import ParleyProtocol

@testable import Channels

/// A channel on three servers: its homes one after the other, the log, a stage on each server with
/// participants and the calls of their users, joined by queues that a test delivers from and cuts.
///
/// The queues keep the promise of a link (`LinkSimulationTests`): messages come once and in order, or both
/// sides learn that they may be lost.
final class SeveralStages {
  enum Mail {
    case report(StageReport, StageAddress)
    case news([StageNews], attachment: UInt64)
    case question(WindowQuestion)
    case window(WindowAnswer)
    /// All stages of a server have been reported to the homes of a ring.
    case reported(ring: Int)
    case send(SimulatedCall)
    case answer(ReplyAddress, CallOutcome, after: Int64)
    /// The receiver of a call is not the channel's home.
    case moved(SimulatedCall)
  }

  /// The time that a connection was in the channel, and what it was sent.
  final class Stay {
    let session: SessionAddress
    let user: String
    /// The position that it asked to recover from.
    let asked: Int64?
    /// The connections of its user that had left when it asked.
    let former: Set<SessionAddress>
    /// The last event before it.
    var start: Int64?
    var count = 0
    /// The last event that its client had seen, when the missed ones were recovered.
    var position: Int64?
    /// The numbers of the messages among the recovered events.
    var recovered: [Int64] = []
    /// The other connections of its user that were in the channel when it entered.
    var others: [Stay] = []
    /// The same, and those that left while it waited to enter.
    var predecessors: [Stay] = []
    /// The numbers of the events that it was sent.
    var seqs: [Int64] = []
    /// The ranges of messages that it was notified of as withheld.
    var withheld: [ClosedRange<Int64>] = []
    /// Whether each user was last said to have entered.
    var notices: [String: Bool] = [:]
    var hasEnded = false

    init(
      _ session: SessionAddress, _ user: String, recover position: Int64?, after stays: [Stay]
    ) {
      self.session = session
      self.user = user
      asked = position
      former = Set(stays.filter { $0.user == user && $0.hasEnded }.map(\.session))
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
    /// The channel's home, if it is here.
    var host: SimulatedHome?
    /// Homes that were here, and wait for the log.
    var retired: [SimulatedHome] = []
    /// The calls that are not answered, and those of them that have to be sent again.
    var calls: [Int: SimulatedCall] = [:]
    var repetitions: Set<Int> = []

    init(_ number: UInt16) { self.number = number }
  }

  enum AttachedInput {
    case recovered(Int, after: Int64)
    case repaired(UInt64, after: Int64, [AwaitedSend])
  }

  let servers = (UInt16(0)..<3).map(Server.init)
  private let limits: SimulatedHome.Limits
  private let ids = MessageNumbers()
  private var contents: MemoryLogContents
  private(set) var homeServer: UInt16 = 0
  /// Counts the homes that the channel has had.
  private var ring = 0
  private var lastCall = 0
  /// The connections that have sent messages, by their texts.
  private(set) var senders: [String: SessionAddress] = [:]
  /// The sends that were answered with a message.
  private(set) var acknowledged: [(call: SimulatedCall, messageID: Int64)] = []
  private(set) var stays: [Stay] = []
  private var queues: [[[Mail]]] = Array(repeating: Array(repeating: [], count: 3), count: 3)
  private var lastAttachment: UInt64 = 0
  private(set) var refusals = 0
  private(set) var now: Int64 = 0

  init(_ limits: SimulatedHome.Limits) {
    self.limits = limits
    contents = MemoryLogContents(
      users: ["u0", "u1", "u2", "u3", "last0", "last1", "last2", "away"].map { User(id: $0) })
    let channel = Channel(url: "lobby", operators: [User(id: "u0")], createdAt: 0)
    _ = contents.perform(.create(channel, epoch: "epoch"))
    servers[0].host = takeOver(on: 0, awaiting: [])
  }

  private func takeOver(on server: UInt16, awaiting awaited: Set<UInt16>) -> SimulatedHome? {
    SimulatedHome(on: server, &contents, limits, ids, awaiting: awaited, at: moment.unix)
  }

  /// The users in the channel, as its present home knows them.
  var roster: ChannelRoster { servers[Int(homeServer)].host?.presence.roster ?? ChannelRoster() }

  /// All events of the channel.
  var log: [DurableEvent] { events(after: 0) }

  private var moment: Moment { Moment(unix: now + 1_000_000, monotonic: now) }
  var lastSeq: Int64 {
    guard case .success(.read(.channel(let state?))) = contents.answer(.channel(url: "lobby"))
    else { return 0 }
    return state.lastSeq
  }

  func isBanned(_ userID: String) -> Bool {
    guard case .success(.read(.channel(let state?))) = contents.answer(.channel(url: "lobby"))
    else { return false }
    return state.bans[userID] != nil
  }

  /// Whether a user was banned by an event after one and up to another.
  func isBanned(_ userID: String, between first: Int64, and last: Int64) -> Bool {
    log.contains { event in
      guard event.seq > first, event.seq <= last,
        case .userBanned(let ban)? = event.event(
          in: ChannelInfo(Channel(url: "lobby", createdAt: 0), participantCount: 0))
      else { return false }
      return ban.user.id == userID
    }
  }

  // MARK: Steps

  func enter(_ session: SessionAddress, _ user: String, recover seq: Int64?) {
    guard stay(of: session) == nil else { return }
    stays.append(Stay(session, user, recover: seq, after: stays))
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
    guard server.home == server.number, let host = server.host else {
      if server.stage == nil {
        server.stage = AttachedStage(url: "lobby", server: server.number)
        attach(server)
      }
      return handle(AttachmentInput.enter(request), server)
    }
    guard !host.presence.isGathering else { return host.presence.hold(.here(request)) }
    let isNew = server.stage == nil
    if isNew {
      server.stage = host.stage
      handle(.elsewhere(host.presence.localElsewhere), server)
    }
    let user = request.principal.user.id
    guard host.mayEnter(user, at: moment.unix) else {
      return handle(.refuse(request, .banned("lobby")), server)
    }
    let other = host.presence.admit(user) { server.stage?.isEntering($0) ?? false }
    handle(other.map { .enterBeside(request, server: $0) } ?? .enter(request), server)
  }

  func leave(_ session: SessionAddress) {
    guard let stay = stay(of: session), stay.start != nil else { return }
    stay.hasEnded = true
    handle(.leave(session, userID: stay.user), servers[Int(session.server)])
  }

  /// Sends a message from a connection.
  ///
  /// - Parameter isNamed: Whether the client names the send.
  func send(from session: SessionAddress, by user: String, isNamed: Bool) {
    lastCall += 1
    let server = servers[Int(session.server)]
    var call = SimulatedCall(
      number: lastCall, session: session, user: user, requestID: isNamed ? "r\(lastCall)" : "")
    if server.home != server.number { call.name() }
    call.target = server.home
    server.calls[lastCall] = call
    senders[call.text] = session
    transmit(call, server)
  }

  /// Has the Platform API send a message in a user's name.
  func post(by user: String) { perform(.send("api \(lastCall)"), by: User(id: user)) }

  /// Has the Platform API carry a command out.
  func perform(_ command: ChannelCommand, by user: User? = nil) {
    guard let host = servers[Int(homeServer)].host else { return }
    lastCall += 1
    let input = JudgeInput.command(
      command, by: .platform(onBehalfOf: user), call: .platform(UInt64(lastCall)))
    perform(host.handle(input, at: moment), host)
  }

  private func transmit(_ call: SimulatedCall, _ server: Server) {
    post(.send(call), from: server.number, to: server.home)
  }

  /// Sends a message on, at once to the server itself.
  private func post(_ mail: Mail, from sender: UInt16, to receiver: UInt16) {
    if sender == receiver { return receive(mail, from: sender, at: servers[Int(receiver)]) }
    queues[Int(sender)][Int(receiver)].append(mail)
  }

  private func repeatCalls(_ server: Server, where isLost: (SimulatedCall) -> Bool) {
    for number in server.calls.keys.sorted() {
      guard var call = server.calls[number], isLost(call) else { continue }
      server.repetitions.remove(number)
      if server.home != server.number { call.name() }
      call.target = server.home
      server.calls[number] = call
      transmit(call, server)
    }
  }

  private func complete(_ address: ReplyAddress, _ outcome: CallOutcome) {
    let server = servers[Int(address.session.server)]
    guard let call = server.calls.removeValue(forKey: address.ticket.index) else { return }
    server.repetitions.remove(call.number)
    if case .success(let bytes) = outcome, let id = Int64(String(decoding: bytes, as: UTF8.self)) {
      acknowledged.append((call, id))
    }
  }

  /// Lets the log answer a home of a server.
  func answerLog(_ number: Int) {
    let server = servers[number]
    for host in server.retired + [server.host].compactMap(\.self) where !host.isSettled {
      return perform(host.answerLog(&contents, at: moment), host)
    }
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
      repeatCalls(server) { $0.target == peer }
    }
  }

  /// Makes another server the channel's home; the others, and the old home, learn of it by
  /// ``learnHome(_:)``.
  func moveHome(to server: UInt16) {
    guard server != homeServer else { return }
    makeHome(on: servers[Int(server)])
    learnHome(Int(server))
  }

  private func makeHome(on server: Server) {
    release(server)
    ring += 1
    homeServer = server.number
    var awaited: Set<UInt16> = [0, 1, 2]
    if server.stage == nil { awaited.remove(server.number) }
    server.host = takeOver(on: server.number, awaiting: awaited)
  }

  /// Ends a home on a server that knows of the next one, or was refused by the log.
  private func release(_ server: Server) {
    guard let host = server.host else { return }
    host.isReleased = true
    server.host = nil
    server.retired.append(host)
    let announced = host.presence.announced
    host.presence.tellAll(.released)
    flush(host)
    _ = host.presence.stopAwaitingAll(at: moment)
    let applicants = host.presence.takeApplicants()
    if isBesideHome(server) {
      if let announced { handle(AttachmentInput.released(announced), server) }
      attach(server)
    }
    for case .here(let request) in applicants { enter(request) }
  }

  /// Ends a server as a crash does; another of its number starts at once.
  ///
  /// - Parameter written: The open requests that the log still carries out.
  func kill(_ number: UInt16, nextHome: UInt16, written: Int) {
    let server = servers[Int(number)]
    for stay in stays where stay.session.server == number { stay.hasEnded = true }
    server.stage = nil
    server.wakeTime = nil
    server.attachTime = nil
    server.reads = []
    server.calls = [:]
    server.repetitions = []
    for host in server.retired + [server.host].compactMap(\.self) {
      host.crash(written, &contents)
    }
    server.host = nil
    server.retired = []
    for peer in 0..<3 {
      queues[Int(number)][peer] = []
      queues[peer][Int(number)] = []
    }
    if homeServer == number {
      makeHome(on: servers[Int(nextHome == number ? (number + 1) % 3 : nextHome)])
      learnHome(Int(homeServer))
    }
    (server.home, server.ring) = (homeServer, ring)
    for survivor in servers where survivor.number != number {
      if let host = survivor.host {
        perform(host.presence.remove(server: number, at: moment), host)
      }
      handle(.serverGone(number), survivor)
    }
  }

  func learnHome(_ number: Int) {
    let server = servers[number]
    guard server.ring != ring else { return }
    server.home = homeServer
    server.ring = ring
    if homeServer != server.number { release(server) }
    if isAttached(server) { attach(server) }
    reportStages(server)
    // A home that was here answers what it has.
    repeatCalls(server) { $0.target != server.number || server.repetitions.contains($0.number) }
  }

  /// Lets the home know that it has been sent all that a server has.
  private func reportStages(_ server: Server) {
    queues[Int(server.number)][Int(server.home)].append(.reported(ring: server.ring))
  }

  /// Forgets the stage of a server if nobody is on it.
  func sweep(_ number: Int) {
    let server = servers[number]
    guard isAttached(server), server.stage?.isIdle == true else { return }
    // What a stage reports to a home beside it comes before the next connection.
    guard queues[number][number].isEmpty else { return }
    server.attachTime = nil
    report(.detach, server)
    server.stage = nil
    server.wakeTime = nil
  }

  func answerRead(_ number: Int) {
    let server = servers[number]
    guard !server.reads.isEmpty else { return }
    switch server.reads.removeFirst() {
    case .recovered(let read, let seq):
      handle(StageInput.recovered(read, .success(events(after: seq))), server)
    case .repaired(let attachment, let seq, let awaited):
      handle(
        AttachmentInput.repaired(attachment, .success(events(after: seq)), awaited: awaited), server
      )
    }
  }

  private func events(after seq: Int64) -> [DurableEvent] {
    let read = LogRead.missed(
      channelID: 1, after: seq, byteLimit: .max, updatesWithin: nil)
    guard case .success(.read(.missed(let events?))) = contents.answer(read) else { return [] }
    return events
  }

  /// Ends a turn everywhere, and lets time pass.
  func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    flush()
    while true {
      let times =
        servers.flatMap { [$0.wakeTime, $0.attachTime] }.compactMap(\.self)
        + servers.compactMap { $0.host?.presenceTime }
      guard let time = times.min(), time <= end else { break }
      now = max(now, time)
      for server in servers {
        if let host = server.host, let time = host.presenceTime, time <= now {
          host.presenceTime = nil
          handle(PresenceInput.deadline, host)
        }
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
    for server in servers {
      if let host = server.host { flush(host) }
      repeatCalls(server) { server.repetitions.contains($0.number) }
    }
  }

  private func flush(_ host: SimulatedHome) {
    let server = servers[Int(host.server)]
    if let count = host.presence.takeElsewhere(), isBesideHome(server) {
      handle(.elsewhere(count), server)
    }
    for packet in host.presence.takePackets() {
      let news = Mail.news(packet.news, attachment: packet.address.attachment)
      queues[Int(host.server)][Int(packet.address.server)].append(news)
    }
  }

  /// Whether anything is under way.
  var isQuiet: Bool {
    queues.allSatisfy { $0.allSatisfy(\.isEmpty) } && servers.allSatisfy(\.reads.isEmpty)
      && servers.allSatisfy { $0.attachTime == nil && $0.calls.isEmpty }
      && servers.allSatisfy { ($0.host?.isSettled ?? true) && $0.retired.allSatisfy(\.isSettled) }
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
      guard server.stage != nil else {
        // Calls may be answered after the stage has gone.
        for case .answer(let address, let outcome) in news { complete(address, outcome) }
        return
      }
      handle(AttachmentInput.news(attachment, news), server)
    case .question(let question):
      if server.stage == nil {
        let answer = Mail.window(WindowAnswer(question, nil))
        queues[Int(server.number)][Int(question.server)].append(answer)
      } else {
        handle(.windowQuestion(question), server)
      }
    case .reported(let ring):
      guard ring == self.ring, server.number == homeServer, let host = server.host else { return }
      perform(host.presence.stopAwaiting(sender, at: moment), host)
    case .window(let answer):
      if server.stage != nil { handle(.window(answer), server) }
    case .send(let call):
      guard server.home == server.number, let host = server.host else {
        return post(.moved(call), from: server.number, to: sender)
      }
      perform(host.handle(call.input, at: moment), host)
    case .moved(let call):
      if server.calls[call.number] != nil { server.repetitions.insert(call.number) }
    case .answer(let address, let outcome, let seq):
      guard isAttached(server) else { return complete(address, outcome) }
      handle(AttachmentInput.answer(address, outcome, after: seq), server)
    }
  }

  private func receive(_ report: StageReport, _ address: StageAddress, at server: Server) {
    guard server.home == server.number, let host = server.host else {
      return release(address, by: server)
    }
    if case .attach(let attachment) = report {
      return host.presence.attach(attachment, at: address, from: host.start)
    }
    guard host.presence.isAttached(address) else { return release(address, by: server) }
    switch report {
    case .attach: break
    case .arrive(let piece): perform(host.presence.arrive(piece, at: address, at: moment), host)
    case .admit(let number, let user):
      guard !host.presence.isGathering else {
        return host.presence.hold(.elsewhere(user, number: number, address))
      }
      admit(user, number, address, host)
    case .entered(let user, let session):
      if host.mayEnter(user.id, at: moment.unix) { handle(.entered(user, session), host) }
    case .settled(let number, let userID):
      host.presence.settle(number, of: userID, on: address.server)
    case .left(let userID, let heirs):
      handle(.left(userID: userID, server: address.server, heirs: heirs), host)
    case .detach: perform(host.presence.detach(address, at: moment), host)
    }
  }

  private func release(_ address: StageAddress, by server: Server) {
    let news = Mail.news([.released], attachment: address.attachment)
    queues[Int(server.number)][Int(address.server)].append(news)
  }

  private func admit(
    _ user: User, _ number: UInt64, _ address: StageAddress, _ host: SimulatedHome
  ) {
    let server = servers[Int(host.server)]
    let result: Result<UInt16?, ServiceError> =
      !host.mayEnter(user.id, at: moment.unix)
      ? .failure(.banned("lobby"))
      : .success(
        host.presence.admit(user.id, number, on: address.server) {
          isBesideHome(server) && server.stage?.isEntering($0) == true
        })
    host.presence.tell(.admitted(number, result), server: address.server)
  }

  private func handle(_ input: PresenceInput, _ host: SimulatedHome) {
    perform(host.presence.handle(input, at: moment), host)
  }

  private func perform(_ actions: [PresenceAction], _ host: SimulatedHome) {
    let server = servers[Int(host.server)]
    for action in actions {
      switch action {
      case .publish(let notice):
        if isBesideHome(server) { handle(.notice(notice), server) }
      case .correct: break
      case .wake(let time): host.presenceTime = time
      case .readProfiles(let userIDs):
        for userID in userIDs { handle(.profile(User(id: userID)), host) }
      case .present(let userID): perform(host.handle(.entered(userID: userID), at: moment), host)
      case .absent(let userID): perform(host.handle(.left(userID: userID), at: moment), host)
      }
    }
    for applicant in host.presence.takeApplicants() {
      switch applicant {
      case .here(let request): enter(request)
      case .elsewhere(let user, let number, let address):
        if host.presence.isAttached(address) { admit(user, number, address, host) }
      }
    }
  }

  private func perform(_ actions: [JudgeAction], _ host: SimulatedHome) {
    let server = servers[Int(host.server)]
    for action in actions {
      switch action {
      case .answer(.session(let address), let outcome):
        answer(address, outcome.map { $0.sentMessageID }, host)
      case .publish(let event):
        guard !host.isReleased else { continue }
        if isBesideHome(server) { handle(.apply(event), server) }
        host.presence.tellAll(.event(event))
        if case .expulsion(let user) = event.subject { handle(.expelled(userID: user), host) }
      case .release: if server.host === host { release(server) }
      case _: break
      }
    }
  }

  private func answer(_ address: ReplyAddress, _ outcome: CallOutcome, _ host: SimulatedHome) {
    let (server, receiver) = (servers[Int(host.server)], address.session.server)
    if !host.isReleased, isBesideHome(server), receiver == host.server {
      handle(StageInput.answer(address, outcome), server)
    } else if !host.isReleased,
      host.presence.tell(.answer(address, outcome), server: receiver)
    {
      return
    } else {
      post(.answer(address, outcome, after: host.lastSeq), from: host.server, to: receiver)
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
    case .reply(let address, let outcome) where address.ticket.index > 0:
      complete(address, outcome)
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
      if isBesideHome(server), let host = server.host {
        handle(.entered(user, session), host)
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
      let awaited = server.calls.keys.sorted().compactMap { server.calls[$0]?.awaited }
      server.reads.append(.repaired(attachment, after: seq, awaited))
    case .reattach: server.attachTime = now + 200
    case .withheld: break
    case .wake(let time): server.wakeTime = time
    }
  }

  private func didLeave(_ userID: String, _ heirs: [UInt16], _ server: Server) {
    if isBesideHome(server), let host = server.host {
      handle(.left(userID: userID, server: server.number, heirs: heirs), host)
    } else {
      report(.left(userID: userID, heirs: heirs), server)
    }
  }

  private func welcome(_ session: SessionAddress, _ result: [UInt8]) {
    guard let stay = stay(of: session), let root = try? JSONDocument(result).root else {
      // The connection is gone: its server reports that.
      return handle(.leave(session, userID: ""), servers[Int(session.server)])
    }
    stay.predecessors = stays.filter {
      $0.user == stay.user && $0.start != nil && !stay.former.contains($0.session)
    }
    stay.others = stay.predecessors.filter { !$0.hasEnded }
    stay.start = root["seq"]?.integer
    if root["recovered"]?.bool == true {
      stay.position = stay.asked
      stay.recovered = (root["events"].map { Array($0.elements) } ?? []).compactMap { event in
        event["method"]?.string == "message.received" ? event["params"]?["seq"]?.integer : nil
      }
    }
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

/// A send of a connection.
struct SimulatedCall {
  let number: Int
  let session: SessionAddress
  let user: String
  /// The name by which the log recognises the message; empty for a send that stays on its server.
  private(set) var requestID: String
  /// The server that has the call.
  var target: UInt16

  init(number: Int, session: SessionAddress, user: String, requestID: String) {
    self.number = number
    self.session = session
    self.user = user
    self.requestID = requestID
    target = session.server
  }

  /// Gives the send a name, so that it can be repeated.
  mutating func name() {
    if requestID.isEmpty { requestID = "edge-\(number)" }
  }

  var text: String { "\(number)" }

  var awaited: AwaitedSend {
    AwaitedSend(session: session, userID: user, requestID: requestID, text: text)
  }

  var input: JudgeInput {
    let draft = MessageDraft(type: .user, text: text, mentionedUserIDs: [], metaArrays: [])
    let order = MessageOrder(
      .success(draft), requestID: requestID.isEmpty ? nil : requestID)
    let principal = SessionPrincipal(user: User(id: user), session: session)
    let address = ReplyAddress(
      session: session, ticket: CallTicket(unit: 0, index: number), id: nil, isPaid: true)
    return .command(.send(order), by: .session(principal), call: .session(address))
  }
}

extension JudgeAnswer {
  /// The id of the message that was sent, as a text.
  fileprivate var sentMessageID: [UInt8] {
    if case .sent(let sent) = self { Array(String(sent.shown.message.id).utf8) } else { [] }
  }
}
