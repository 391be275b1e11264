import Channels
import Hooks
import ParleyProtocol
import Reactor
import Store
import Telemetry

/// The host of a channel's home on its shard: passes stage reports and local arrivals and
/// departures to the home, carries out its actions, makes no decisions.
final class HomeHost {
  private let url: String
  private let server: UInt16
  private unowned let shard: Shard
  /// The users in the channel, and the stages of other servers.
  private var home: ChannelHome
  /// The judge's side of the channel; `nil` once the channel is forgotten.
  private weak var channel: ChannelHost?
  /// Whether the shard will end the turn of this channel.
  private var awaitsEndOfTurn = false
  /// The timer for the next notices about participants.
  private var presenceTimer: EventLoop.TimerToken?
  /// The timer for the end of the time in which other servers may report their users.
  private var gatherTimer: EventLoop.TimerToken?

  /// - Parameter term: The term of the home, which no other home of the channel has.
  init(url: String, term: Int64, on shard: Shard) {
    self.url = url
    self.shard = shard
    server = shard.services.server
    home = ChannelHome(
      url: url, server: server, life: UInt64(clamping: term),
      awaiting: shard.channels.awaited(url))
    if home.isGathering { gatherTimer = shard.loop.schedule(after: Self.gatherTime, self) }
  }

  /// Connects the home to the judge's side of the channel.
  func join(_ channel: ChannelHost) { self.channel = channel }

  /// Milliseconds after which a new home stops waiting for servers that have not reported.
  private static let gatherTime: Int64 = 2_000

  private var now: Moment {
    Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
  }

  // MARK: Questions

  /// Whether some servers have not reported their users in the channel.
  var isGathering: Bool { home.isGathering }
  /// The users in the channel.
  var roster: ChannelRoster { home.roster }
  /// Whether the channel has no users, and no stage elsewhere needs it.
  var isIdle: Bool { home.isIdle && !home.isGathering }
  /// Whether nothing waits for other servers, whoever is connected there.
  var isSettled: Bool { !home.isSearching && !home.awaitsEndOfTurn && !home.isGathering }
  /// The number of users who are not on this server.
  var localElsewhere: Int { home.localElsewhere }

  // MARK: Inputs

  /// Passes a presence input to the home, and carries out the resulting actions.
  func handle(_ input: PresenceInput) { perform(home.handle(input, at: now)) }

  /// Holds a local connection's request to enter until all servers have reported.
  func hold(_ request: EnterRequest) { home.hold(.here(request)) }

  /// Whether a user is in the channel on another server.
  func isElsewhere(_ userID: String) -> Bool { home.isElsewhere(userID, than: server) }

  /// Handles a message of a stage on another server.
  ///
  /// - Parameter start: The channel as it is now.
  func receive(
    _ report: StageReport, from address: StageAddress, at start: @autoclosure () -> StageStart
  ) {
    if case .attach(let attachment) = report {
      var start = start()
      start.announced = home.announced
      home.attach(attachment, at: address, from: start)
      return awaitEndOfTurn()
    }
    if case .sought(let number, let isHere) = report {
      home.take(answer: number, isHere: isHere, from: address)
      return awaitEndOfTurn()
    }
    guard home.isAttached(address) || home.isKeepingNews(for: address) else {
      return shard.send([.released], toStageOf: url, at: address)
    }
    switch report {
    case .attach, .sought: break
    case .vacant(let admissions):
      home.vacate(address, admissions: admissions)
      awaitEndOfTurn()
    case .arrive(let piece):
      perform(home.arrive(piece, at: address, at: now))
      awaitEndOfTurn()
    case .admit(let number, let principal):
      guard !home.isGathering else {
        return home.hold(.elsewhere(principal, number: number, address))
      }
      admit(principal, number, of: address)
    case .entered(let user, let session):
      // The stage has not applied a banned user's ban yet, but will.
      if channel?.mayEnter(user.id) == true { handle(.entered(user, session)) }
    case .left(let userID): handle(.left(userID: userID, server: address.server))
    case .detach: perform(home.detach(address, at: now))
    }
  }

  private func admit(
    _ principal: SessionPrincipal, _ number: UInt64, of address: StageAddress
  ) {
    guard let channel else { return }
    let user = principal.user
    do throws(ServiceError) {
      try channel.requireEntering(user.id)
      guard shard.services.hooks?.asks(.channelEnter) == true else {
        return answer(user, number, of: address, .success(()))
      }
      channel.askEntering(principal) { $0.home.admit(user, number, of: address, decided: $1) }
    } catch {
      answer(user, number, of: address, .failure(error))
    }
  }

  /// Continues after the app's back end has decided.
  private func admit(
    _ user: User, _ number: UInt64, of address: StageAddress,
    decided: Result<Void, ServiceError>
  ) {
    guard let channel, home.isAttached(address) else { return }
    do throws(ServiceError) {
      try decided.get()
      try channel.requireEntering(user.id)
      answer(user, number, of: address, .success(()))
    } catch {
      answer(user, number, of: address, .failure(error))
    }
  }

  private func answer(
    _ user: User, _ number: UInt64, of address: StageAddress, _ result: Result<Void, ServiceError>
  ) {
    let server = address.server
    home.answer(number, result.map { home.isElsewhere(user.id, than: server) }, on: server)
    awaitEndOfTurn()
  }

  /// Forgets a server that is gone.
  func remove(server: UInt16) { perform(home.remove(server: server, at: now)) }

  /// Notes that a server has reported its stage, if it has one.
  func stopAwaiting(_ server: UInt16) {
    if home.isGathering { perform(home.stopAwaiting(server, at: now)) }
  }

  /// Gives up the channel to another home, to which every stage attaches.
  ///
  /// - Returns: The users that were announced to participants.
  func release() -> AnnouncedUsers? {
    let announced = home.announced
    shard.channels.expect(home.stageServers, of: url)
    // Stages repeat the requests of their connections; those held here have no stage that would.
    _ = home.stopAwaitingAll(at: now)
    let (applicants, url) = (home.takeApplicants(), url)
    shard.returnPath.enqueue { shard in
      for case .here(let request) in applicants { shard.enter(request, url) }
    }
    shard.gauges.add(-Int64(roster.count), to: .participants)
    shard.services.participantCounts.set(0, of: url)
    tellAll(.released)
    return announced
  }

  // MARK: Connected members

  /// Asks servers for connections of the members of a group that was loaded.
  func search(_ pieces: [[String]], on servers: [UInt16], from start: StageStart) {
    home.search(pieces, on: servers, from: start)
    awaitEndOfTurn()
  }

  /// Asks servers for connections of a user who joins by the next event.
  func search(admitted userID: String, on servers: [UInt16], from start: StageStart) {
    home.search(admitted: userID, on: servers, from: start)
    awaitEndOfTurn()
  }

  /// Continues after messages to or from a server were lost.
  func linkWasReset(with server: UInt16) {
    home.linkWasReset(with: server)
    awaitEndOfTurn()
  }

  /// Adds a connection of a joined member on another server.
  func add(_ seat: Seat, from start: @autoclosure () -> StageStart) {
    home.add(seat, from: start())
    awaitEndOfTurn()
  }

  /// Takes a part of the users of an attached stage.
  func arrive(_ piece: StagePiece, strangers: [String], at address: StageAddress) {
    home.arrive(piece, strangers: strangers, at: address)
    awaitEndOfTurn()
  }

  /// Ends the stages on other servers, because nothing happens in the group.
  func disperse() {
    guard home.hasRemoteStages else { return }
    home.disperse()
    endTurn()
  }

  // MARK: Stages on other servers

  /// Sends news to all stages on other servers.
  func tellAll(_ news: @autoclosure () -> StageNews) {
    guard home.hasRemoteStages else { return }
    home.tellAll(news())
    awaitEndOfTurn()
  }

  /// Sends the outcome of a call to the stage of its server, after all earlier events.
  ///
  /// - Returns: Whether that server has a stage.
  func tell(_ address: ReplyAddress, _ outcome: CallOutcome) -> Bool {
    guard home.tell(.answer(address, outcome), server: address.session.server) else {
      return false
    }
    awaitEndOfTurn()
    return true
  }

  private func awaitEndOfTurn() {
    guard !awaitsEndOfTurn, home.awaitsEndOfTurn, let channel else { return }
    awaitsEndOfTurn = true
    shard.channels.awaitsEndOfTurn(channel)
  }

  /// Gives the stage on this server the number of users elsewhere, if it is unknown to the stage.
  func tellElsewhere() {
    if let count = home.takeElsewhere() { channel?.stage?.handle(.elsewhere(count)) }
  }

  /// Sends the turn's news to stages on other servers.
  func endTurn() {
    awaitsEndOfTurn = false
    tellElsewhere()
    for packet in home.takePackets() {
      shard.send(packet.news, toStageOf: url, at: packet.address)
    }
    for (server, question) in home.takeQuestions() {
      shard.send(.stage(server: server, url: url, .seek(question)))
    }
  }

  // MARK: Actions

  /// Carries out actions of the home, and admits the applicants that have waited for it.
  private func perform(_ actions: [PresenceAction]) {
    for action in actions { perform(action) }
    for applicant in home.takeApplicants() {
      switch applicant {
      case .here(let request): shard.enter(request, url)
      case .elsewhere(let principal, let number, let address):
        if home.isAttached(address) { admit(principal, number, of: address) }
      }
    }
    if !home.isGathering, let timer = gatherTimer {
      shard.loop.cancel(timer)
      gatherTimer = nil
    }
  }

  private func perform(_ action: PresenceAction) {
    switch action {
    case .present(let userID):
      channel?.handle(.entered(userID: userID))
      countParticipants(1)
    case .absent(let userID):
      channel?.handle(.left(userID: userID))
      countParticipants(-1)
    case .publish(let notice): channel?.stage?.handle(.notice(notice))
    case .correct: break
    case .readProfiles(let userIDs): readProfiles(of: userIDs)
    case .wake(let time):
      if let presenceTimer { shard.loop.cancel(presenceTimer) }
      presenceTimer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
    }
    if home.hasRemoteStages { awaitEndOfTurn() }
  }

  private func readProfiles(of userIDs: [String]) {
    let (host, path) = (LoopBound(self), shard.returnPath)
    shard.services.store.read(.users(userIDs)) { result in
      var users: [User] = []
      if case .success(.users(let found)) = result { users = found }
      // The notice about a user without a profile contains the user's id.
      let known = Set(users.map(\.id))
      for userID in userIDs where !known.contains(userID) { users.append(User(id: userID)) }
      path.enqueue { [users] _ in for user in users { host.value.handle(.profile(user)) } }
    }
  }

  private func countParticipants(_ change: Int64) {
    shard.gauges.add(change, to: .participants)
    shard.services.participantCounts.set(roster.count, of: url)
  }
}

extension Shard {
  func send(_ news: [StageNews], toStageOf url: String, at address: StageAddress) {
    send(
      .stage(
        server: address.server, url: url, .news(news, attachment: address.attachment)))
  }

  /// Handles a message of a stage on another server; its channel may have to be read first.
  func receive(_ report: StageReport, from address: StageAddress, inChannel url: String) {
    switch report {
    case .left, .sought:
      channels.withKnownChannel(url) { $0.receive(report, from: address) }
    case .vacant:
      channels.whenLoaded(url) { [unowned self] channel in
        guard let channel else { return send([.dispersed], toStageOf: url, at: address) }
        channel.receive(report, from: address)
      }
    case .detach:
      channels.stopExpecting(address.server, of: url)
      channels.withKnownChannel(url) { $0.receive(report, from: address) }
    case .attach, .arrive, .admit, .entered:
      if case .attach = report { channels.expect([address.server], of: url) }
      channels.withChannel(url) { [unowned self] result in
        switch result {
        case .success(let channel): channel.receive(report, from: address)
        case .failure(let error):
          let isAbsent = error.code == .notFound
          send([isAbsent ? .absent : .released], toStageOf: url, at: address)
        }
      }
    }
  }
}

extension HomeHost: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == presenceTimer {
      presenceTimer = nil
      handle(.deadline)
    } else if token == gatherTimer {
      gatherTimer = nil
      perform(home.stopAwaitingAll(at: now))
    }
  }
}
