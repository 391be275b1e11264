import Store
import Channels
import Cluster
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Telemetry

/// The host of a channel's stage on its shard: feeds the stage, carries its actions out, decides
/// nothing.
///
/// The channel's home is beside it, or on another server, to which the stage is attached.
final class StageHost {
  let url: String
  /// The channel as the log names it; 0 until it is known.
  private var channelID: Int64
  /// The channel's place among the writes, when its home is beside the stage.
  private var place: LogChannel?
  private unowned let shard: Shard
  private var stage: AttachedStage
  /// The channel's home, when it is beside the stage.
  private unowned var home: ChannelHost?
  /// The server that the stage was last attached to, and by which number.
  private(set) var homeServer: UInt16
  private var attachment: UInt64 = 0
  /// For the next attempt to attach.
  private var attachTimer: EventLoop.TimerToken?
  /// For the next request to a home that has not attached the stage.
  private var askTimer: EventLoop.TimerToken?
  /// Milliseconds that the home may take to attach the stage.
  private var attachTime = StageHost.attachTime
  /// Whether events are read that the home could not send.
  private var isReadingMissed = false
  /// For the stage's next deadline.
  private var timer: EventLoop.TimerToken?
  /// Whether the shard is going to end the turn of this channel.
  private var awaitsEndOfTurn = false

  /// A stage beside its home, which reports to it from ``join(_:)`` on.
  init(_ stage: consuming ChannelStage, of place: LogChannel, on shard: Shard) {
    url = place.url
    channelID = place.id
    self.place = place
    self.shard = shard
    homeServer = shard.services.server
    self.stage = AttachedStage(stage, url: place.url)
  }

  /// A stage of a channel that is at home on another server.
  init(url: String, on shard: Shard) {
    self.url = url
    channelID = 0
    self.shard = shard
    homeServer = shard.services.server
    stage = AttachedStage(url: url, server: shard.services.server)
  }

  /// Reports to a home that is beside the stage.
  func join(_ home: ChannelHost) { self.home = home }

  /// Ends what ``join(_:)`` began: the home forgets the channel.
  func leaveHome() { home = nil }

  // MARK: Attaching

  /// Asks the channel's present home for its events, in place of any home before.
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

  /// Takes the news of a turn of the channel's home.
  func take(_ news: [StageNews], attachment: UInt64) {
    if attachment == self.attachment {
      if let askTimer { shard.loop.cancel(askTimer) }
      askTimer = nil
      if case .attached(let start)? = news.first {
        channelID = start.channelID
        attachTime = Self.attachTime
      }
    }
    handle(AttachmentInput.news(attachment, news))
  }

  /// Lets the channel's home know that nobody is here.
  func detach() {
    for timer in [attachTimer, askTimer].compactMap(\.self) { shard.loop.cancel(timer) }
    (attachTimer, askTimer) = (nil, nil)
    report(.detach)
  }

  private func report(_ report: StageReport) {
    let address = StageAddress(server: shard.services.server, attachment: attachment)
    shard.send(.channel(url: url, .report(report, from: address)))
  }

  // MARK: Inputs

  /// Gives the stage an input, and carries out what follows.
  func handle(_ input: StageInput) {
    let shard = shard
    let now = Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
    stage.handle(input, at: now, into: &shard.stageActions)
    finish(on: shard)
  }

  /// Gives the stage an input about its attachment, and carries out what follows.
  func handle(_ input: AttachmentInput) {
    let shard = shard
    let now = Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
    stage.handle(input, at: now, into: &shard.stageActions)
    finish(on: shard)
  }

  private func finish(on shard: Shard) {
    if !shard.stageActions.isEmpty { performActions(on: shard) }
    guard stage.awaitsEndOfTurn, !awaitsEndOfTurn else { return }
    awaitsEndOfTurn = true
    shard.channels.awaitsEndOfTurn(self)
  }

  /// Has the events and answers of the turn leave.
  func endTurn() {
    awaitsEndOfTurn = false
    handle(StageInput.endOfTurn)
  }

  // MARK: State

  /// Whether the stage waits before it asks a home again.
  var isPausing: Bool { attachTimer != nil }

  /// Whether nobody is here or about to enter, and nothing waits.
  var isIdle: Bool { stage.isIdle && !awaitsEndOfTurn }

  /// The channel's number in the log, and the last event from which the stage can go on there.
  var logPlace: (channelID: Int64, position: StreamPosition)? {
    channelID == 0 ? nil : stage.position.map { (channelID, $0) }
  }

  /// The throttle of a user who is in the channel.
  func throttle(of userID: String) -> Throttle? { stage.throttle(of: userID) }

  // MARK: Actions

  private func performActions(on shard: Shard) {
    var actions = StageActions()
    swap(&actions, &shard.stageActions)
    // By index: the list's memory is reused only while nothing else refers to it.
    if actions.list.count == 1 {
      perform(actions.list[0], on: shard)
    } else {
      shard.sendTogether {
        for index in actions.list.indices { perform(actions.list[index], on: shard) }
      }
    }
    actions.removeAll()
    swap(&actions, &shard.stageActions)
  }

  private func perform(_ action: StageAction, on shard: Shard) {
    switch action {
    case .deliver(let plan, let index):
      shard.send(.shard(shard.services.shards[index].address, .deliver(plan)))
    case .notify(let event, let sessions, let index):
      shard.send(.shard(shard.services.shards[index].address, .notify(event, sessions)))
    case .reply(let address, let outcome): shard.reply(to: address, outcome)
    case .welcome(let address, let userID, let result):
      let entered = SessionMessage.entered(
        channelURL: url, userID: userID, address, result: result)
      shard.send(.session(address.session, entered))
    case .admitObserver(let address, let result):
      let message = LocalMessage.observing(channelURL: url, address, result: result)
      shard.send(message, to: Int(address.session.shard))
    case .release(let principal):
      shard.release(url, principal)
      if !stage.contains(principal.user.id) { didLeave(principal.user.id) }
    case .unsubscribe(let session):
      shard.send(.session(session, .removed(channelURL: url)))
    case .read(let read): self.read(read)
    case .entered(let user, let session):
      if let home { home.handle(.entered(user, session)) } else { report(.entered(user, session)) }
    case .left(let userID): didLeave(userID)
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

  /// Reads for a connection that waits to enter: a look-up, charged as the list that it is.
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
      // More than can be read now, the stage reads when it attaches anew.
      guard case .success(let events?) = events else { return }
      host.handle(
        AttachmentInput.polled(events, epoch: place.position.epoch, awaited: awaited))
    }
  }

  /// Reads events that did not come from the home.
  ///
  /// The shards are asked first for sends that await their answers: these come after the events, for
  /// they wait in the stage.
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

  /// Milliseconds from a request to attach to the next one, first and last.
  private static let attachTime: Int64 = 1_000
  private static let longestAttachTime: Int64 = 8_000
  /// Milliseconds from a home that could not attach the stage to the next attempt.
  private static let attachPause: Int64 = 200
  /// Bytes of missed events that a stage reads, at most.
  private static let repairByteLimit: Int64 = 16 * 1_048_576
}

extension LogAnswer {
  /// The events of a read of missed ones.
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
