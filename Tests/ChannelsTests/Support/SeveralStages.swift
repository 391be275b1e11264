import FloodControl
import ParleyProtocol

@testable import Channels

/// A channel on three servers: its homes one after the other, the log, a stage on each server with
/// participants and the calls of their users, joined by queues that a test delivers from and cuts.
final class SeveralStages {
  let servers = (UInt16(0)..<3).map(SimulatedServer.init)
  private let limits: SimulatedHome.Limits
  private let ids = MessageNumbers()
  let log = SimulatedLog()
  private(set) var homeServer: UInt16 = 0
  /// Counts the homes that the channel has had.
  private(set) var ring = 0
  private var lastCall = 0
  /// The connections that have sent messages, by their texts.
  private(set) var senders: [String: SessionAddress] = [:]
  /// The sends that were answered with a message.
  private(set) var acknowledged: [(call: SimulatedCall, messageID: Int64)] = []
  private(set) var stays: [SimulatedStay] = []
  let links = SimulatedLinks()
  private var lastAttachment: UInt64 = 0
  private(set) var now: Int64 = 0

  init(_ limits: SimulatedHome.Limits) {
    self.limits = limits
    servers[0].host = takeOver(on: 0, awaiting: [])
  }

  private func takeOver(on server: UInt16, awaiting awaited: Set<UInt16>) -> SimulatedHome? {
    SimulatedHome(on: server, &log.contents, limits, ids, awaiting: awaited, at: moment.unix)
  }

  /// The users in the channel, as its present home knows them.
  var roster: ChannelRoster { servers[Int(homeServer)].host?.presence.roster ?? ChannelRoster() }

  var moment: Moment { Moment(unix: now + 1_000_000, monotonic: now) }

  // MARK: Steps

  func enter(_ session: SessionAddress, _ user: String, recover seq: Int64?) {
    guard stay(of: session) == nil else { return }
    stays.append(SimulatedStay(session, user, recover: seq, after: stays))
    enter(
      EnterRequest(
        principal: SessionPrincipal(user: User(id: user), session: session),
        recover: seq.map { StreamPosition(epoch: "epoch", seq: $0) },
        address: ReplyAddress(
          session: session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true)))
  }

  func enter(_ request: EnterRequest) {
    let server = servers[Int(request.principal.session.server)]
    if server.isAttached {
      return handle(AttachmentInput.enter(request), server)
    }
    if hold(at: server, { [unowned self] in enter(request) }) { return }
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
    var request = request
    request.isElsewhere = host.presence.isElsewhere(user, than: server.number)
    if let count = host.presence.takeElsewhere() { handle(.elsewhere(count), server) }
    handle(StageInput.enter(request), server)
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

  private func transmit(_ call: SimulatedCall, _ server: SimulatedServer) {
    post(.send(call), from: server.number, to: server.home)
  }

  /// Sends a message on, at once to the server itself.
  func post(_ mail: SimulatedMail, from sender: UInt16, to receiver: UInt16) {
    if sender == receiver { return receive(mail, from: sender, at: servers[Int(receiver)]) }
    links.append(mail, from: sender, to: receiver)
  }

  private func repeatCalls(_ server: SimulatedServer, where isLost: (SimulatedCall) -> Bool) {
    for number in server.calls.keys.sorted() {
      guard var call = server.calls[number], isLost(call) else { continue }
      server.repetitions.remove(number)
      if server.home != server.number { call.name() }
      call.target = server.home
      server.calls[number] = call
      transmit(call, server)
    }
  }

  func complete(_ address: ReplyAddress, _ outcome: CallOutcome) {
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
    for host in server.hosts where !host.isSettled {
      return perform(host.answerLog(&log.contents, at: moment), host)
    }
  }

  /// Delivers the first message from one server to another.
  func deliver(from sender: Int, to receiver: Int) {
    let mail = links.takeFirst(from: UInt16(sender), to: UInt16(receiver))
    if let mail { receive(mail, from: UInt16(sender), at: servers[receiver]) }
  }

  /// Loses what is under way between two servers; both sides learn of it.
  func cut(_ one: Int, _ other: Int) {
    guard one != other else { return }
    links.cut(UInt16(one), UInt16(other))
    for (server, peer) in [(servers[one], UInt16(other)), (servers[other], UInt16(one))] {
      if server.isAttached, server.home == peer { attach(server) }
      if server.home == peer { reportStages(server) }
      repeatCalls(server) { $0.target == peer }
    }
  }

  /// Makes another server the channel's home; the others, and the old home, learn of it by
  /// ``learnHome(_:)``.
  ///
  /// - Parameter delay: Milliseconds after which the log carries the take-over out; the old home goes on
  ///   until then.
  func moveHome(to server: UInt16, after delay: Int64) {
    guard server != homeServer else { return }
    makeHome(on: servers[Int(server)], after: delay)
    learnHome(Int(server))
  }

  private func makeHome(on server: SimulatedServer, after delay: Int64) {
    release(server)
    ring += 1
    homeServer = server.number
    server.takeOver = SimulatedTakeOver(
      ring: ring, time: now + delay, waiters: server.takeOver?.waiters ?? [])
    if delay == 0 { finishTakeOver(by: server) }
  }

  /// Has the log carry out a take-over, and what waits for the channel go on.
  private func finishTakeOver(by server: SimulatedServer) {
    guard let pending = server.takeOver else { return }
    server.takeOver = nil
    // After the take-over of the next home, one of an earlier would have that home ask again.
    if pending.ring == ring {
      var awaited: Set<UInt16> = [0, 1, 2]
      if server.stage == nil { awaited.remove(server.number) }
      server.host = takeOver(on: server.number, awaiting: awaited)
    }
    for resume in pending.waiters { resume() }
  }

  /// Keeps what is for a home until that has taken the channel over.
  ///
  /// - Returns: Whether there is such a home on the server.
  func hold(at server: SimulatedServer, _ resume: @escaping () -> Void) -> Bool {
    guard server.home == server.number, server.takeOver != nil else { return false }
    server.takeOver?.waiters.append(resume)
    return true
  }

  /// Ends a home on a server that knows of the next one, or was refused by the log.
  func release(_ server: SimulatedServer) {
    guard let host = server.host else { return }
    host.isReleased = true
    server.host = nil
    server.retired.append(host)
    let announced = host.presence.announced
    host.presence.tellAll(.released)
    flush(host)
    _ = host.presence.stopAwaitingAll(at: moment)
    let applicants = host.presence.takeApplicants()
    if server.isBesideHome {
      if let announced { handle(AttachmentInput.released(announced), server) }
      attach(server)
    }
    for case .here(let request) in applicants { enter(request) }
  }

  /// Ends a server as a crash does; another of its number starts at once.
  ///
  /// - Parameters:
  ///   - written: The open requests that the log still carries out.
  ///   - delay: Milliseconds that the take-over by the next home takes.
  func kill(_ number: UInt16, nextHome: UInt16, written: Int, after delay: Int64) {
    let server = servers[Int(number)]
    for stay in stays where stay.session.server == number { stay.hasEnded = true }
    for host in server.hosts { host.crash(written, &log.contents) }
    server.reset()
    links.cutOff(number)
    if homeServer == number {
      makeHome(
        on: servers[Int(nextHome == number ? (number + 1) % 3 : nextHome)], after: delay)
      learnHome(Int(homeServer))
    }
    (server.home, server.ring) = (homeServer, ring)
    for survivor in servers where survivor.number != number {
      let remove: () -> Void = { [unowned self] in
        if let host = survivor.host {
          perform(host.presence.remove(server: number, at: moment), host)
        }
      }
      if !hold(at: survivor, remove) { remove() }
    }
  }

  func learnHome(_ number: Int) {
    let server = servers[number]
    guard server.ring != ring else { return }
    server.home = homeServer
    server.ring = ring
    if homeServer != server.number { release(server) }
    if server.isAttached { attach(server) }
    reportStages(server)
    // A home that was here answers what it has.
    repeatCalls(server) { $0.target != server.number || server.repetitions.contains($0.number) }
  }

  /// Lets the home know that it has been sent all that a server has.
  private func reportStages(_ server: SimulatedServer) {
    links.append(.reported(ring: server.ring), from: server.number, to: server.home)
  }

  /// Forgets the stage of a server if nobody is on it.
  func sweep(_ number: Int) {
    let server = servers[number]
    guard server.isAttached, server.stage?.isIdle == true else { return }
    // What a stage reports to a home beside it comes before the next connection.
    guard links.isEmpty(from: server.number, to: server.number) else { return }
    server.attachTime = nil
    report(.detach, server)
    server.stage = nil
    server.wakeTime = nil
  }

  /// Has the log refuse a read of a server, as one that is not reached.
  func failRead(_ number: Int) {
    let server = servers[number]
    guard !server.reads.isEmpty else { return }
    switch server.reads.removeFirst() {
    case .recovered(let read, _):
      handle(StageInput.recovered(read, .failure(.internalError)), server)
    case .repaired(let attachment, _, let awaited):
      handle(
        AttachmentInput.repaired(attachment, .failure(.internalError), awaited: awaited), server)
    }
  }

  func answerRead(_ number: Int) {
    let server = servers[number]
    guard !server.reads.isEmpty else { return }
    switch server.reads.removeFirst() {
    case .recovered(let read, let seq):
      handle(StageInput.recovered(read, .success(log.events(after: seq))), server)
    case .repaired(let attachment, let seq, let awaited):
      handle(
        AttachmentInput.repaired(attachment, .success(log.events(after: seq)), awaited: awaited),
        server
      )
    }
  }

  /// Ends a turn everywhere, and lets time pass.
  func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    flush()
    while true {
      let times =
        servers.flatMap { [$0.wakeTime, $0.attachTime] }.compactMap(\.self)
        + servers.compactMap { $0.host?.presenceTime } + servers.compactMap { $0.takeOver?.time }
      guard let time = times.min(), time <= end else { break }
      now = max(now, time)
      for server in servers {
        if let time = server.takeOver?.time, time <= now { finishTakeOver(by: server) }
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
    if let count = host.presence.takeElsewhere(), server.isBesideHome {
      handle(.elsewhere(count), server)
    }
    for packet in host.presence.takePackets() {
      links.append(
        .news(packet.news, attachment: packet.address.attachment), from: host.server,
        to: packet.address.server)
    }
  }

  /// Whether anything is under way.
  var isQuiet: Bool { links.isEmpty && servers.allSatisfy(\.isQuiet) }

  func stay(of session: SessionAddress) -> SimulatedStay? {
    stays.last { $0.session == session && !$0.hasEnded }
  }

  /// The users with a connection in the channel.
  var present: Set<String> {
    Set(stays.filter { !$0.hasEnded && $0.start != nil }.map(\.user))
  }

  func attach(_ server: SimulatedServer) {
    lastAttachment += 1
    server.attachment = lastAttachment
    server.attachTime = nil
    handle(AttachmentInput.attach(lastAttachment), server)
  }
}
