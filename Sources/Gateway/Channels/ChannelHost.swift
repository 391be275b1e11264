import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Store
import Telemetry

/// A channel on the one shard where it is at home: its judge, and the stage of this server beside it.
///
/// Feeds the judge, carries its actions out and brings answers to the callers; decides nothing. ``HomeHost``
/// keeps who is in the channel, and the stages of other servers.
/// Confined to its shard.
final class ChannelHost {
  /// Takes the outcome of a call: once, on the channel's shard.
  typealias Answer = @Sendable (ChannelHost, Result<JudgeAnswer, ServiceError>) -> Void

  let url: String
  /// The channel as writes name it.
  let place: LogChannel
  /// The channel's number on its shard, by which the log's answers find it.
  let number: UInt64
  unowned let shard: Shard
  /// The stage of this server; `nil` when that is attached like one of another server.
  private(set) var stage: StageHost?

  private var judge: ChannelJudge
  /// The users in the channel, and the stages of other servers.
  private let home: HomeHost
  /// Names the life of the channel's count of events.
  private let epoch: String
  private let server: UInt16
  /// Whether another server is the channel's home, or none.
  private(set) var isReleased = false
  private var limits: ChannelLimits
  /// The calls over the Platform API that the judge has not answered.
  private var calls = PendingPlatformCalls()
  /// Readings that may contain writes whose events are not published.
  private var fence = ReadFence<(ChannelHost) -> Void>()
  /// Messages that are read in order to be changed.
  private var changeReads: Set<EntryID> = []
  /// Jobs of the store that are not answered.
  private var pendingJobs = 0
  /// When the channel was last asked for; the loop's milliseconds.
  private(set) var lastUse: Int64
  /// The bytes that the channel took when it was loaded, by estimate.
  private let loadedByteCount: Int
  /// The last event before the channel was loaded.
  private let loadedSeq: Int64
  /// For the judge's deadline.
  private var timer: EventLoop.TimerToken?

  init(_ loaded: LoadedChannel, number: UInt64, shard: Shard) {
    let state = loaded.state
    limits = ChannelLimits(state, below: shard.services.limits)
    url = state.channel.url
    place = state.place
    self.number = number
    self.shard = shard
    judge = ChannelJudge(
      loaded, floodLimit: limits.flood, shard.settings, shard.services, waits: shard.sendWaits)
    server = shard.services.server
    home = HomeHost(url: state.channel.url, on: shard)
    // An ephemeral channel's count lives in memory only: each life has an epoch of its own.
    epoch = state.channel.isEphemeral ? Identifiers.epoch() : state.epoch
    lastUse = shard.loop.now
    loadedByteCount = loaded.byteCount
    loadedSeq = judge.lastSeq
    home.join(self)
  }

  /// Takes up the stage of this server, until ``close()``; none when it is attached already.
  func open() {
    guard shard.stages[url] == nil else { return }
    let stage = StageHost(
      ChannelStage(
        judge.channel, epoch: epoch, lastSeq: judge.lastSeq, throttleLimit: throttleLimit,
        server: server), of: place, on: shard)
    stage.join(self)
    self.stage = stage
    if home.localElsewhere > 0 { stage.handle(StageInput.elsewhere(home.localElsewhere)) }
  }

  /// Ends what ``open()`` began, when the channel is forgotten.
  func close() {
    stage?.leaveHome()
    stage = nil
  }

  // MARK: Inputs

  /// Gives the judge an input, and carries out what follows.
  func handle(_ input: JudgeInput) {
    let shard = shard
    var actions = JudgeActions()
    swap(&actions, &shard.judgeActions)
    // By both clocks at once: the loop's time is that of the turn's beginning.
    let now = shard.services.now
    judge.handle(input, at: now, into: &actions)
    while let action = actions.next() {
      if let entry = knownOutcome(of: action) {
        judge.handle(.logged(entry, .success(.read(.users([])))), at: now, into: &actions)
      } else {
        perform(action, on: shard)
      }
    }
    if let tally = actions.takeTally() { shard.count(tally, of: url) }
    swap(&actions, &shard.judgeActions)
  }

  /// Takes in who is in the channel, and carries out what follows.
  func handle(_ input: PresenceInput) { home.handle(input) }

  /// Gives the judge a session's command.
  func perform(
    _ command: ChannelCommand, by principal: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    handle(.command(command, by: .session(principal), call: .session(address)))
  }

  /// Gives the judge a command of the Platform API.
  ///
  /// - Parameter user: The user on whose behalf it comes, if any.
  func perform(
    _ command: ChannelCommand, onBehalfOf user: User? = nil, then completion: @escaping Answer
  ) {
    let call = calls.begin(completion)
    handle(.command(command, by: .platform(onBehalfOf: user), call: .platform(call)))
  }

  /// Gives the judge a message of the past.
  func importMessage(_ message: MessageImport, then completion: @escaping Answer) {
    handle(.importing(message, call: .platform(calls.begin(completion))))
  }

  /// Gives the judge the message of a user's upload.
  func send(_ order: MessageOrder, byUploader user: User, then completion: @escaping Answer) {
    let call = calls.begin(completion)
    handle(.command(.send(order), by: .background(user), call: .platform(call)))
  }

  /// Takes the log's answer to an entry or a read.
  func receive(_ answer: LogAnswer) {
    guard let entry = EntryID(number: answer.ticket.number) else { return }
    switch entry {
    case .view, .repetition: afterWrites { $0.handle(.logged(entry, answer.result)) }
    case .send, .change, .operation:
      handle(.logged(entry, answer.result))
      guard changeReads.isEmpty || changeReads.remove(entry) == nil else { return }
      fence.writeWasAnswered()
      while let resume = fence.next() { resume(self) }
    }
  }

  /// Goes on with a reading once the events of all writes that it may contain are published, so that its
  /// answer comes after them.
  func afterWrites(_ resume: @escaping (ChannelHost) -> Void) {
    fence.admit(resume)?(self)
  }

  private func endReading() {
    fence.close()
    while let resume = fence.next() { resume(self) }
  }

  /// Lets a connection of this server in, unless the judge keeps it out.
  func enter(_ request: EnterRequest) {
    guard !home.isGathering else { return home.hold(request) }
    if stage == nil { open() }
    let userID = request.principal.user.id
    do throws(ServiceError) {
      try requireEntering(userID)
      var request = request
      request.isElsewhere = home.isElsewhere(userID)
      stage?.handle(StageInput.enter(request))
    } catch {
      stage?.handle(.refuse(request, error))
    }
  }

  /// Has a connection of this server hear the channel.
  func observe(_ address: ReplyAddress) {
    noteUse()
    if stage == nil { open() }
    (stage ?? shard.stages[url])?.handle(StageInput.observe(address))
  }

  /// Takes a connection of this server out.
  func leave(_ session: SessionAddress, userID: String) {
    noteUse()
    stage?.handle(.leave(session, userID: userID))
  }

  /// Takes over metadata that was changed in the store.
  func setMetadata(_ metadata: [String: String]) {
    handle(.metadataChanged(metadata))
    stage?.handle(.record(judge.channel))
    home.tellAll(.record(judge.channel))
  }

  // MARK: Questions

  /// Whether servers have not reported who is in the channel there.
  var isGathering: Bool { home.isGathering }
  /// The users in the channel.
  var roster: ChannelRoster { home.roster }
  var info: ChannelInfo { judge.info }
  /// The last event that was published; of an ephemeral channel none is recorded.
  var lastEvent: KnownEvent {
    KnownEvent(epoch: epoch, seq: judge.channel.isEphemeral ? 0 : judge.lastSeq)
  }
  var operatorIDs: Set<String> { judge.operatorIDs }
  var floodLimit: RateLimit { judge.floodLimit }

  /// The throttle of a user who is in the channel on this server.
  func throttle(of userID: String) -> Throttle? { stage?.throttle(of: userID) }

  /// A restriction of a user that holds now.
  func restriction(_ kind: RestrictionKind, of userID: String) -> Restriction? {
    judge.restriction(kind, of: userID, at: shard.services.clock.now)
  }

  /// - Throws: 400201 for a channel that is no more, 400750 for a banned user.
  func requireEntering(_ userID: String) throws(ServiceError) {
    try judge.requireEntering(userID, at: shard.services.clock.now)
  }

  /// Whether a user may enter now.
  func mayEnter(_ userID: String) -> Bool { (try? requireEntering(userID)) != nil }

  /// - Throws: 400201 in a channel that keeps no messages, or is no more.
  func requireKeptMessages() throws(ServiceError) { try judge.requireKeptMessages() }

  /// A user's windows, and the obstacles to its next message.
  func sendCheck(of userID: String) -> SendCheck {
    judge.sendCheck(of: userID, at: shard.services.now)
  }

  // MARK: Memory

  /// How long a channel without participants stays in memory, at the least.
  private static let idleTime: Int64 = 30_000

  func noteUse() { lastUse = shard.loop.now }

  /// Whether nothing waits for an answer of the store.
  var isSettled: Bool { judge.isIdle && pendingJobs == 0 }

  /// Whether nobody is in the channel, and nothing is under way.
  private var isUnused: Bool { (stage?.isIdle ?? true) && home.isIdle && isSettled }

  /// Whether the channel may be forgotten, and its flood windows with it.
  func isIdle(at now: Int64) -> Bool {
    now - lastUse >= max(Self.idleTime, judge.floodLimit.windowMilliseconds) && isUnused
  }

  /// The channel as one that may be forgotten at once, because it was only looked at; `nil` when it has to
  /// be kept for a while.
  var idle: IdleChannelBudget.Channel? {
    guard judge.lastSeq == loadedSeq, !judge.hasFloodWindows, isUnused else { return nil }
    return IdleChannelBudget.Channel(
      number: number, lastUse: lastUse, byteCount: loadedByteCount)
  }

  // MARK: Limits

  var throttleLimit: RateLimit { limits.throttle }

  /// Goes on with the limits that hold now.
  func renewLimits() {
    limits.renew(customType: judge.channel.customType, below: shard.services.limits)
    handle(.floodLimitChanged(limits.flood))
    stage?.handle(.throttle(limits.throttle))
    home.tellAll(.throttle(limits.throttle))
  }

  /// Takes over limits of the channel's own; `nil` leaves it to the more general ones.
  func setOwnLimits(_ own: [LimitKind: LimitOverride]) {
    limits.own = own
    renewLimits()
  }

  /// The origin of a limit that holds.
  func limitSource(_ kind: LimitKind) -> LimitSource {
    limits.source(kind, customType: judge.channel.customType, below: shard.services.limits)
  }

  // MARK: Actions

  /// The entry that reads nothing, which is a message of an ephemeral channel without mentions: the log need
  /// not be asked, unless entries before it are with the log, or another server may have taken the channel over.
  private func knownOutcome(of action: JudgeAction) -> EntryID? {
    guard case .submit(let id, .write(.read(.users([])), _)) = action, fence.isIdle,
      shard.edge == nil
    else { return nil }
    return id
  }

  private func perform(_ action: JudgeAction, on shard: Shard) {
    switch action {
    case .submit(let id, let entry):
      fence.writeWasSubmitted()
      shard.writes.submit(LogSubmission(ticket(id), entry), to: shard.logSink)
    case .read(let entry, let read):
      if case .change = entry { changeReads.insert(entry) }
      shard.services.store.read(read, ticket(entry), to: shard.logSink)
    case .answer(.session(let address), let outcome): answer(address, outcome)
    case .answer(.platform(let call), let outcome):
      calls.end(call)?(self, outcome)
    case .measure(let arrival): shard.measureAcknowledgement(since: arrival)
    case .publish(let event): publish(event)
    case .post(let event, let origin): shard.post(event, from: origin)
    case .mention(let userIDs, let sender, let notification):
      shard.mention(userIDs, by: sender, notification)
    case .enrich(let request): shard.enrich(request, in: self)
    case .handOver(let addition): shard.handOver(addition, to: url)
    case .renewLimits: renewLimits()
    case .wake(let time): wake(at: time)
    case .release:
      if judge.isDeleted {
        shard.busiest.remove(url)
      } else {
        shard.channels.noteFence(of: url)
        shard.channels.noteEvent(lastEvent, of: url)
        release()
      }
      endReading()
      shard.channels.remove(self)
    }
  }

  private func publish(_ event: ChannelEvent) {
    guard !isReleased else { return }
    // With the end of a channel nobody is said to leave.
    if case .end = event.subject { handle(PresenceInput.ended) }
    stage?.handle(.apply(event))
    home.tellAll(.event(event))
    if case .expulsion(let userID) = event.subject { handle(.expelled(userID: userID)) }
  }

  private func ticket(_ entry: EntryID) -> LogTicket {
    LogTicket(origin: number, number: entry.number)
  }

  private func answer(_ address: ReplyAddress, _ outcome: Result<JudgeAnswer, ServiceError>) {
    if case .success(.sent(let sent)) = outcome, sent.arrival == .repeated {
      shard.send(.session(address.session, .chargeRepetition))
    }
    reply(to: address, outcome.map { $0.encodedAsResult() })
  }

  /// Returns the outcome of a session's call, after all events before it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    if let stage, address.session.server == server {
      stage.handle(StageInput.answer(address, outcome))
    } else if !isReleased, home.tell(address, outcome) {
      return
    } else if shard.edge != nil, !outcome.isMoved {
      let server = address.session.server
      shard.send(
        .stage(server: server, url: url, .answer(address, outcome, after: judge.lastSeq)))
    } else {
      shard.reply(to: address, outcome)
    }
  }

  private func wake(at time: Int64) {
    if let timer { shard.loop.cancel(timer) }
    timer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
  }

  // MARK: The store

  /// Counts a job of the store's that goes on with the channel.
  ///
  /// - Returns: The completion, which brings the job's result back to this shard.
  func resumption<T: Sendable>(
    _ then: @escaping @Sendable (ChannelHost, Result<T, ServiceError>) -> Void
  ) -> @Sendable (Result<T, StoreError>) -> Void {
    pendingJobs += 1
    let channel = LoopBound(self)
    let path = shard.returnPath
    return { result in
      path.enqueue { _ in
        channel.value.pendingJobs -= 1
        then(channel.value, result.serviceResult)
      }
    }
  }
}

// MARK: - Stages on other servers

extension ChannelHost {
  /// Takes a message of a stage on another server.
  func receive(_ report: StageReport, from address: StageAddress) {
    noteUse()
    if case .attach(let attachment) = report, isBehind(attachment) {
      shard.channels.giveUp(self, knowing: KnownEvent(epoch: epoch, seq: attachment.seq))
      return shard.send([.released], toStageOf: url, at: address)
    }
    home.receive(
      report, from: address,
      at: StageStart(
        channel: judge.channel, channelID: place.id, epoch: epoch, seq: judge.lastSeq,
        throttleLimit: throttleLimit, announced: nil))
  }

  /// Whether a stage was sent an event that this home does not know: the log has lost it, or another
  /// home has followed this one.
  private func isBehind(_ attachment: StageAttachment) -> Bool {
    !judge.channel.isEphemeral && attachment.epoch == epoch && attachment.seq > judge.lastSeq
  }

  /// Forgets a server that is gone.
  func remove(server: UInt16) { home.remove(server: server) }

  /// Takes note that a server has sent what its stage has, if it has one.
  func stopAwaiting(_ server: UInt16) { home.stopAwaiting(server) }

  /// Gives the channel up to another home: every stage attaches there.
  func release() {
    guard !isReleased else { return }
    handle(JudgeInput.endWaiting(.move))
    isReleased = true
    endReading()
    let announced = home.release()
    guard let stage else { return }
    self.stage = nil
    guard !stage.isIdle else { return }
    if let announced { stage.handle(AttachmentInput.released(announced)) }
    shard.stages.attach(stage)
  }

  /// Has what the turn brought for stages of other servers leave.
  func endTurn() { home.endTurn() }
}

extension ChannelHost: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == timer {
      timer = nil
      handle(JudgeInput.deadline)
    }
  }
}
