import Store
import Channels
import Cluster
import FloodControl
import ParleyProtocol
import Reactor
import Telemetry

/// The host of a channel's stage on its shard: passes inputs to the stage, carries out its actions,
/// makes no decisions.
///
/// The channel's home is beside it, or on another server, to which the stage is attached.
final class StageHost {
  let url: String
  /// The channel's number in the log; 0 until it is known.
  private var channelID: Int64
  /// The channel as writes refer to it, when its home is beside the stage.
  private var place: LogChannel?
  private unowned let shard: Shard
  private var stage: AttachedStage
  /// The channel's home, when it is beside the stage.
  private unowned var home: ChannelHost?
  /// The server that the stage was last attached to, and the number of that attachment.
  private(set) var homeServer: UInt16
  private(set) var attachment: UInt64 = 0
  /// The timer for the next attempt to attach.
  private var attachTimer: EventLoop.TimerToken?
  /// The timer for the next request to a home that has not attached the stage.
  private var askTimer: EventLoop.TimerToken?
  /// Milliseconds that the home may take to attach the stage.
  private var attachTime = StageHost.attachTime
  /// Whether events that the home could not send are being read.
  private var isReadingMissed = false
  /// The timer for the stage's next deadline.
  private var timer: EventLoop.TimerToken?
  /// Whether the shard will end the turn of this stage.
  private var awaitsEndOfTurn = false
  /// Whether the gauge of groups with connected members includes this one.
  private var isCounted = false

  /// Creates a stage beside its home; the stage reports to the home after ``join(_:)``.
  init(_ stage: consuming ChannelStage, of place: LogChannel, on shard: Shard) {
    url = place.url
    channelID = place.id
    self.place = place
    self.shard = shard
    homeServer = shard.services.server
    self.stage = AttachedStage(stage, url: place.url)
  }

  /// Creates the stage of a channel that is at home on another server.
  init(url: String, on shard: Shard) {
    self.url = url
    channelID = 0
    self.shard = shard
    homeServer = shard.services.server
    stage = AttachedStage(url: url, server: shard.services.server)
  }

  /// Creates the stage of a group that is at home on another server.
  init(groupURL url: String, on shard: Shard) {
    self.url = url
    channelID = 0
    self.shard = shard
    homeServer = shard.services.server
    stage = AttachedStage(groupURL: url, server: shard.services.server)
  }

  /// Starts reporting to a home that is beside the stage.
  func join(_ home: ChannelHost) { self.home = home }

  /// Stops reporting to the home, which forgets the channel.
  func leaveHome() { home = nil }

  // MARK: Attaching

  /// Requests events from the channel's current home, in place of any previous home.
  func attach() {
    home = nil
    place = nil
    if let attachTimer { shard.loop.cancel(attachTimer) }
    attachTimer = nil
    homeServer = shard.homeServer(ofChannel: url)
    attachment = shard.stages.nextAttachment()
    handle(AttachmentInput.attach(attachment))
    // Servers that see the cluster differently may have dropped the request.
    if let askTimer { shard.loop.cancel(askTimer) }
    askTimer = shard.loop.schedule(after: attachTime, self)
    attachTime = min(attachTime * 2, Self.longestAttachTime)
  }

  /// Waits for the news of a group's home that has asked for connections.
  func awaitNews(of home: UInt64) {
    homeServer = shard.homeServer(ofChannel: url)
    attachment = shard.stages.nextAttachment()
    handle(AttachmentInput.await(attachment, home: home))
  }

  /// Whether a connection of a member is on the stage.
  func contains(_ seat: Seat) -> Bool { stage.contains(seat) }

  /// The home that asked for connections, while its news have not begun.
  var awaitedHome: UInt64? { stage.awaitedHome }

  /// Reports to the home of a group that no member is connected here.
  func reportVacancy() {
    if let vacancy = stage.vacancy { report(vacancy) }
  }

  /// Handles the news of a turn of the channel's home.
  func take(_ news: [StageNews], attachment: UInt64) {
    if attachment == self.attachment {
      if let askTimer { shard.loop.cancel(askTimer) }
      askTimer = nil
      if case .attached(let start)? = news.first(where: \.isBeginning) {
        channelID = start.channelID
        attachTime = Self.attachTime
      }
    }
    handle(AttachmentInput.news(attachment, news))
    guard stage.hasEnded, stage.isOfGroup else { return }
    cancelAttaching()
    shard.stages.remove(self)
  }

  /// Reports to the channel's home that this stage has no users.
  func detach() {
    cancelAttaching()
    report(.detach)
  }

  private func cancelAttaching() {
    for timer in [attachTimer, askTimer].compactMap(\.self) { shard.loop.cancel(timer) }
    (attachTimer, askTimer) = (nil, nil)
  }

  private func report(_ report: StageReport) {
    let address = StageAddress(server: shard.services.server, attachment: attachment)
    shard.send(.channel(url: url, .report(report, from: address)))
  }

  // MARK: Inputs

  /// Passes an input to the stage, and carries out the resulting actions.
  func handle(_ input: StageInput) {
    let shard = shard
    let now = Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
    stage.handle(input, at: now, into: &shard.stageActions)
    finish(on: shard)
  }

  /// Passes an input about its attachment to the stage, and carries out the resulting actions.
  func handle(_ input: AttachmentInput) {
    let shard = shard
    let now = Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
    stage.handle(input, at: now, into: &shard.stageActions)
    finish(on: shard)
  }

  private func finish(on shard: Shard) {
    if !shard.stageActions.isEmpty { performActions(on: shard) }
    guard !awaitsEndOfTurn, stage.awaitsEndOfTurn else { return }
    awaitsEndOfTurn = true
    shard.channels.awaitsEndOfTurn(self)
  }

  /// Includes the stage in the gauge while it has members.
  private func countMembers(on shard: Shard) {
    guard stage.hasMembers != isCounted else { return }
    isCounted.toggle()
    shard.gauges.add(isCounted ? 1 : -1, to: .groupStages)
  }

  /// Sends the events and answers of the turn.
  func endTurn() {
    awaitsEndOfTurn = false
    handle(StageInput.endOfTurn)
  }

  // MARK: State

  /// Whether the stage is pausing before its next request to a home.
  var isPausing: Bool { attachTimer != nil }

  /// Whether the stage has no users, no entering users and no pending work.
  var isIdle: Bool { stage.isIdle && !awaitsEndOfTurn }

  /// Whether the channel is a group.
  var isOfGroup: Bool { stage.isOfGroup }

  /// The channel's number in the log, and the last event, from which the stage can resume.
  var logPlace: (channelID: Int64, position: StreamPosition)? {
    channelID == 0 ? nil : stage.position.map { (channelID, $0) }
  }

  /// The throttle of a user who is in the channel.
  func throttle(of userID: String) -> Throttle? { stage.throttle(of: userID) }

  // MARK: Actions

  /// Searches the connections of all members of a group.
  func seek(_ members: Members) {
    handle(StageInput.seek)
    findSeats(of: members, from: 0, found: [])
  }

  /// Searches the connections of some members after others, so that no search holds up a shard.
  private func findSeats(of members: Members, from place: Int, found: [Seat]) {
    let piece = members.joinedIDs(from: place, limit: Self.searchSize)
    shard.findSeats(of: piece.ids) { [self] seats in
      let found = found + seats
      guard let next = piece.next else { return handle(StageInput.seats(found)) }
      findSeats(of: members, from: next, found: found)
    }
  }

  private func performActions(on shard: Shard) {
    var actions = StageActions()
    swap(&actions, &shard.stageActions)
    if actions.count == 1 {
      perform(actions.take(0), on: shard)
    } else {
      shard.sendTogether {
        for index in 0..<actions.count { perform(actions.take(index), on: shard) }
      }
    }
    actions.removeAll()
    swap(&actions, &shard.stageActions)
  }

  private func perform(_ action: consuming StageAction, on shard: Shard) {
    switch consume action {
    case .deliver(let plan, let index):
      shard.send(.shard(shard.services.shards[index].address, .deliver(plan)))
    case .notify(let event, let sessions, let index):
      shard.send(.shard(shard.services.shards[index].address, .notify(event, sessions)))
    case .reply(let address, let outcome): shard.reply(to: address, outcome)
    case .welcome(let address, let userID, let result):
      let entered = SessionMessage.entered(
        channelURL: url, userID: userID, address, result: result)
      shard.send(.session(address.session, entered))
    case .recovered(let group, let address):
      shard.send(.shard(address.shard, .answer(.recovered(group), to: address)))
    case .admitObserver(let address, let result):
      let message = LocalMessage.observing(channelURL: url, address, result: result)
      shard.send(message, to: Int(address.session.shard))
    case .seek(let userID):
      shard.findSeats(of: [userID]) { [self] in handle(StageInput.seats($0)) }
    case .subscribe(let seat):
      shard.send(
        .session(seat.session, .seated(channelURL: url, userID: seat.userID)))
      countMembers(on: shard)
    case .renew(let seat): shard.renew(seat)
    case .release(let principal):
      shard.release(url, principal)
      if !stage.contains(principal.user.id) { didLeave(principal.user.id) }
    case .unsubscribe(let session):
      shard.send(.session(session, .removed(channelURL: url)))
      countMembers(on: shard)
    case .read(let read): self.read(read)
    case .entered(let user, let session):
      if let home { home.handle(.entered(user, session)) } else { report(.entered(user, session)) }
    case .left(let userID):
      didLeave(userID)
      countMembers(on: shard)
    case .disconnect(let session): shard.send(.session(session, .disconnect))
    case .report(let report): self.report(report)
    case .repair(let number, let channelID, let seq):
      repair(number, channelID: channelID, after: seq)
    case .reattach:
      if let attachTimer { shard.loop.cancel(attachTimer) }
      attachTimer = shard.loop.schedule(after: Self.attachPause, self)
    case .withheld(let count): shard.counters.add(UInt64(count), to: .withheld)
    case .wake(let time): wake(at: time)
    }
  }

  private func didLeave(_ userID: String) {
    if let home {
      home.handle(.left(userID: userID, server: shard.services.server))
    } else {
      report(.left(userID: userID))
    }
  }

  private func wake(at time: Int64) {
    if let timer { shard.loop.cancel(timer) }
    timer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
  }

  /// Reads events for a connection that missed them: runs as a look-up, and is charged as a list.
  private func read(_ read: RecoveryRead) {
    let missed = LogRead.missed(
      channelID: channelID, after: read.seq, byteLimit: read.byteLimit,
      updatesWithin: read.updateReach)
    let ticket = LogTicket(number: 0)
    let (host, path) = (LoopBound(self), shard.returnPath)
    let (caller, services) = (QueryCaller.session(read.principal), shard.services)
    let reply = LogReply { answer in
      caller.pay(answer.cost, to: services)
      path.enqueue { _ in
        host.value.handle(StageInput.recovered(read.number, answer.missedEvents))
      }
    }
    switch (read.path, place) {
    case (.behindWrites, let place?):
      shard.writes.submit(LogSubmission(ticket, .write(.read(missed), place)), to: reply)
    case (.behindWrites, nil), (.beside, _): services.store.read(missed, ticket, to: reply)
    }
  }

  /// Reads the events that the stage missed while it was not attached.
  private func repair(_ number: UInt64, channelID: Int64, after seq: Int64) {
    readMissed(in: channelID, after: seq) { host, events, awaited in
      host.handle(AttachmentInput.repaired(number, events, awaited: awaited))
    }
  }

  /// Reads the events that the home could not send.
  func readMissed() {
    guard !isReadingMissed, let place = logPlace else { return }
    isReadingMissed = true
    readMissed(in: place.channelID, after: place.position.seq) { host, events, awaited in
      host.isReadingMissed = false
      // If there are more events than can be read now, the stage reads them when it reattaches.
      guard case .success(let events?) = events else { return }
      host.handle(
        AttachmentInput.polled(events, epoch: place.position.epoch, awaited: awaited))
    }
  }

  /// Reads events that did not come from the home.
  ///
  /// The shards are first asked for sends that await their answers. The answers follow the events,
  /// because they wait in the stage.
  private func readMissed(
    in channelID: Int64, after seq: Int64,
    then completion:
      @escaping @Sendable (
        StageHost, Result<[DurableEvent]?, ServiceError>, [AwaitedSend]
      ) -> Void
  ) {
    let question = ShardQuestion.awaitedSends(channelURL: url)
    let missed = LogRead.missed(
      channelID: channelID, after: seq, byteLimit: Self.repairByteLimit, updatesWithin: nil)
    let (host, path, services) = (LoopBound(self), shard.returnPath, shard.services)
    shard.ask(question, of: services.shards.handles) { answers in
      var awaited: [AwaitedSend] = []
      for case .awaitedSends(let sends) in answers { awaited += sends }
      let reply = LogReply { [awaited] answer in
        path.enqueue { _ in completion(host.value, answer.missedEvents, awaited) }
      }
      services.store.read(missed, LogTicket(number: 0), to: reply)
    }
  }

  /// Milliseconds from a request to attach to the next one, initially and at most.
  private static let attachTime: Int64 = 1_000
  private static let longestAttachTime: Int64 = 8_000
  /// The members that are searched at a time.
  private static let searchSize = 500
  /// Milliseconds from a failed attachment to the next attempt.
  private static let attachPause: Int64 = 200
  /// The maximum bytes of missed events that a stage reads.
  private static let repairByteLimit: Int64 = 16 * 1_048_576
}

extension LogAnswer {
  /// The events returned by a read of missed events.
  fileprivate var missedEvents: Result<[DurableEvent]?, ServiceError> {
    switch reading {
    case .success(.missed(let events)): .success(events)
    case .success: .failure(ServiceError(LogError.notOfThisRead))
    case .failure(let error): .failure(ServiceError(error))
    }
  }
}

extension StageHost: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == timer {
      timer = nil
      handle(StageInput.deadline)
    } else if token == attachTimer || token == askTimer {
      attach()
    }
  }
}
