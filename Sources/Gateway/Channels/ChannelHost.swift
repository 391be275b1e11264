import Channels
import Configuration
import FloodControl
import Hooks
import ParleyProtocol
import PushDelivery
import Reactor
import Store
import Telemetry

/// A channel on the one shard where it is at home: its judge, and the stage of this server beside it.
///
/// Passes inputs to the judge, carries out its actions and returns answers to callers; makes no
/// decisions. ``HomeHost`` keeps the users in the channel, and the stages of other servers.
/// Confined to its shard.
final class ChannelHost {
  /// Receives the outcome of a call; called once, on the channel's shard.
  typealias Answer = @Sendable (ChannelHost, Result<JudgeAnswer, ServiceError>) -> Void

  let url: String
  /// The channel as writes refer to it.
  let place: LogChannel
  /// The channel's number on its shard, by which the log's answers are matched to it.
  let number: UInt64
  unowned let shard: Shard
  /// The stage of this server; `nil` when it is attached like a stage of another server.
  private(set) var stage: StageHost?

  private(set) var judge: ChannelJudge
  /// The users in the channel, and the stages of other servers.
  let home: HomeHost
  /// The epoch of the channel's events.
  let epoch: String
  private let server: UInt16
  /// Whether another server, or none, is the channel's home.
  private(set) var isReleased = false
  private var limits: ChannelLimits
  /// The calls over the Platform API that the judge has not answered.
  private var calls = PendingPlatformCalls()
  /// Reads whose results may contain writes whose events are not published.
  private var fence = ReadFence<(ChannelHost) -> Void>()
  /// Changes whose messages are being read.
  private var changeReads: Set<EntryID> = []
  /// Store jobs that are not answered.
  private var pendingJobs = 0
  /// When the channel was last used, in the loop's milliseconds.
  private(set) var lastUse: Int64
  /// The estimated bytes that the channel took when it was loaded.
  private let loadedByteCount: Int
  /// The last event before the channel was loaded.
  private let loadedSeq: Int64
  /// The timer for the judge's deadline.
  private var timer: EventLoop.TimerToken?
  /// The time of ``timer``.
  private var wakeTime: Int64 = 0
  /// The members that the gauges include; `nil` for a channel that is not in memory, or not a group.
  var countedMembers: Int?

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
    home = HomeHost(url: state.channel.url, term: state.place.term, on: shard)
    // An ephemeral channel's events are counted in memory only, so each load has its own epoch.
    epoch = state.channel.isEphemeral ? Identifiers.epoch() : state.epoch
    lastUse = shard.loop.now
    loadedByteCount = loaded.byteCount
    loadedSeq = judge.lastSeq
    home.join(self)
  }

  /// Creates the stage of this server, until ``close()``, unless the stage is already attached.
  func open() {
    guard shard.stages[url] == nil else { return }
    let stage = StageHost(
      ChannelStage(
        judge.channel, epoch: epoch, lastSeq: judge.lastSeq, throttleLimit: throttleLimit,
        server: server), of: place, on: shard)
    stage.join(self)
    self.stage = stage
    if home.localElsewhere > 0 { stage.handle(StageInput.elsewhere(home.localElsewhere)) }
    if let members = judge.members { stage.seek(members) }
  }

  /// Asks the other servers for connections of the members of a group that was loaded.
  func searchMembers() {
    guard let members = judge.members, shard.edge != nil else { return }
    home.search(
      members.joinedIDPieces(), on: serversBesideStage, from: stageStart(after: judge.lastSeq))
  }

  /// The servers whose connections are not on the stage beside the judge.
  ///
  /// A stage that was attached to another home, on this server too, stays attached.
  private var serversBesideStage: [UInt16] {
    (shard.edge?.routes.otherServers ?? []) + (stage == nil ? [server] : [])
  }

  /// Removes the stage that ``open()`` created, when the channel is forgotten.
  func close() {
    if isGroup {
      stage?.handle(StageInput.disperse)
      if !isReleased { home.disperse() }
    }
    stage?.leaveHome()
    stage = nil
  }

  // MARK: Inputs

  /// The answer to an entry that reads no users.
  private static let noUsers = LogResult.success(.read(.users([])))

  /// Passes an input to the judge, and carries out the resulting actions.
  func handle(_ input: JudgeInput) {
    let shard = shard
    var actions = JudgeActions()
    swap(&actions, &shard.judgeActions)
    // Both clocks are read at once, because the loop's time is that of the start of the turn.
    let now = shard.services.now
    judge.handle(input, at: now, into: &actions)
    while let action = actions.next() {
      if let entry = knownOutcome(of: action) {
        judge.handle(.logged(entry, Self.noUsers), at: now, into: &actions)
      } else {
        perform(action, on: shard)
      }
    }
    if let tally = actions.takeTally() { shard.count(tally, of: url) }
    if let tally = actions.takeGroupTally() { shard.count(tally) }
    countMembers()
    swap(&actions, &shard.judgeActions)
  }

  /// Passes a presence input to the home, and carries out the resulting actions.
  func handle(_ input: PresenceInput) {
    // The home does not keep the connected members of a group.
    if isGroup, case .left(let userID, _) = input { handle(.left(userID: userID)) }
    home.handle(input)
  }

  /// Passes a session's command to the judge.
  func perform(
    _ command: ChannelCommand, by principal: SessionPrincipal, replyTo address: ReplyAddress
  ) {
    handle(.command(command, by: .session(principal), call: .session(address)))
  }

  /// Passes a command of the Platform API to the judge.
  ///
  /// - Parameters:
  ///   - user: The user on whose behalf the command is sent, if any.
  ///   - trace: The trace of the call, if it has one.
  func perform(
    _ command: ChannelCommand, onBehalfOf user: User? = nil, of trace: CallTrace? = nil,
    then completion: @escaping Answer
  ) {
    let call = calls.begin(of: trace, completion)
    handle(.command(command, by: .platform(onBehalfOf: user), call: .platform(call)))
  }

  /// Passes an imported message to the judge.
  func importMessage(_ message: MessageImport, then completion: @escaping Answer) {
    handle(.importing(message, call: .platform(calls.begin(completion))))
  }

  /// Passes a command of a user that is not from one of its connections to the judge.
  func perform(
    _ command: ChannelCommand, inBackgroundOf user: User, then completion: @escaping Answer
  ) {
    let call = calls.begin(completion)
    handle(.command(command, by: .background(user), call: .platform(call)))
  }

  /// Handles the log's answer to an entry or a read.
  func receive(_ answer: LogAnswer) {
    guard let entry = EntryID(number: answer.ticket.number) else { return }
    switch entry {
    case .view, .repetition, .delivery: afterWrites { $0.handle(.logged(entry, answer.result)) }
    case .send, .change, .operation, .own, .groupView, .deliveries:
      handle(.logged(entry, answer.result))
      guard changeReads.isEmpty || changeReads.remove(entry) == nil else { return }
      fence.writeWasAnswered()
      while let resume = fence.next() { resume(self) }
    }
  }

  /// Resumes a read once the events of all writes that its result may contain are published, so
  /// that its answer follows them.
  func afterWrites(_ resume: @escaping (ChannelHost) -> Void) {
    fence.admit(resume)?(self)
  }

  private func endReading() {
    fence.close()
    while let resume = fence.next() { resume(self) }
  }

  /// Answers a connection of a member with the events that it missed.
  ///
  /// - Throws: What the judge answers to users who may not read the group.
  func recover(
    after position: StreamPosition, by caller: SessionPrincipal, byteLimit: Int,
    replyTo address: PollAddress
  ) throws(ServiceError) {
    let history = try judge.visibleHistory(of: caller)
    if stage == nil { open() }
    guard let stage = stage ?? shard.stages[url] else { throw .moved }
    stage.handle(
      StageInput.recover(
        MemberRecovery(
          caller, after: position, in: history, byteLimit: byteLimit, replyTo: address)))
  }

  /// Adds a connection of this server as an observer of an open channel.
  func observe(_ address: ReplyAddress) {
    noteUse()
    guard !isGroup else { return reply(to: address, .failure(.wrongKind(url, .group))) }
    if stage == nil { open() }
    (stage ?? shard.stages[url])?.handle(StageInput.observe(address))
  }

  /// Removes a connection of this server from the channel.
  func leave(_ session: SessionAddress, userID: String) {
    noteUse()
    stage?.handle(.leave(session, userID: userID))
  }

  /// Adopts metadata that was changed in the store.
  func setMetadata(_ metadata: [String: String]) {
    handle(.metadataChanged(metadata))
    stage?.handle(.record(judge.channel))
    home.tellAll(.record(judge.channel))
  }

  // MARK: Memory

  /// The minimum time that a channel without participants stays in memory.
  private static let idleTime: Int64 = 30_000

  func noteUse() { lastUse = shard.loop.now }

  /// Whether all requests to the store are answered.
  var isSettled: Bool { judge.isIdle && pendingJobs == 0 }

  /// Whether the channel has no users and no work in progress.
  private var isUnused: Bool {
    // Members who are connected do not keep a group in memory.
    (stage?.isIdle ?? true) && (isGroup ? home.isSettled : home.isIdle) && isSettled
      && !judge.hasNotices
  }

  /// Whether the channel may be forgotten, and its flood windows with it.
  func isIdle(at now: Int64) -> Bool {
    now - lastUse >= max(Self.idleTime, judge.floodLimit.windowMilliseconds) && isUnused
  }

  /// The channel as one that may be forgotten at once, because it was only read; `nil` when it must
  /// be kept for a while.
  var idle: IdleChannelBudget.Channel? {
    guard judge.lastSeq == loadedSeq, !judge.hasFloodWindows, isUnused else { return nil }
    return IdleChannelBudget.Channel(
      number: number, lastUse: lastUse, byteCount: loadedByteCount)
  }

  // MARK: Limits

  var throttleLimit: RateLimit { limits.throttle }

  /// Applies the current limits.
  func renewLimits() {
    limits.renew(customType: judge.channel.customType, below: shard.services.limits)
    handle(.floodLimitChanged(limits.flood))
    let filter = shard.services.limits.wordFilter(customType: judge.channel.customType)
    handle(.wordFilterChanged(filter))
    stage?.handle(.throttle(limits.throttle))
    home.tellAll(.throttle(limits.throttle))
  }

  /// Sets the channel's own limits; a kind without one follows the more general limits.
  func setOwnLimits(_ own: [LimitKind: LimitOverride]) {
    limits.own = own
    renewLimits()
  }

  /// The channel's own retention of messages.
  var retention: ChannelRetention { judge.retention }

  /// The age at which its messages are removed, in milliseconds; `nil` if they are kept.
  var messageLifetime: Int64? {
    retentionRules.lifetime(customType: judge.channel.customType, retention)
  }

  /// The rules by which messages are removed now.
  var retentionRules: RetentionRules { shard.services.settings.store.retentionRules }

  /// Sets the channel's own retention of messages.
  func setRetention(_ retention: ChannelRetention) { handle(.retentionChanged(retention)) }

  /// The origin of a limit that is in force.
  func limitSource(_ kind: LimitKind) -> LimitSource {
    limits.source(kind, customType: judge.channel.customType, below: shard.services.limits)
  }

  // MARK: Actions

  /// An entry that reads nothing: a message of an ephemeral channel without mentions.
  ///
  /// It skips the log, unless earlier entries are pending or another server may have taken the channel
  /// over.
  private func knownOutcome(of action: JudgeAction) -> EntryID? {
    guard case .submit(let id, .write(.read(.users([])), _)) = action, fence.isIdle,
      shard.edge == nil
    else { return nil }
    return id
  }

  private func perform(_ action: consuming JudgeAction, on shard: Shard) {
    // Moved, since actions are large.
    switch consume action {
    case .submit(let id, let entry):
      fence.writeWasSubmitted()
      shard.writes.submit(
        LogSubmission(ticket(id), entry, of: trace(of: id)), to: shard.logSink)
    case .read(let entry, let read):
      if case .change = entry { changeReads.insert(entry) }
      shard.services.store.read(read, ticket(entry), to: shard.logSink)
    case .answer(.session(let address), let outcome): answer(address, outcome)
    case .answer(.platform(let call), let outcome):
      calls.end(call)?(self, outcome)
    case .pass(.session(let address)):
      shard.send(.session(address.session, .pass(address.ticket)))
    // A request over HTTP is on a connection of its own.
    case .pass(.platform): break
    case .measure(let arrival): shard.measureAcknowledgement(since: arrival)
    case .publish(let event): publish(event)
    case .post(let event, let origin): shard.post(event, from: origin)
    case .mention(let userIDs, let author, let notification):
      shard.mention(userIDs, by: author, notification)
    case .notify(let userIDs, let notification):
      for id in userIDs { shard.send(.user(id: id, .notifyOfGroup(notification))) }
    case .notifyMember(let notice):
      stage?.handle(.notify(notice))
      home.tellAll(.memberNotice(notice))
    case .noteReading(let userID): shard.services.push?.didRead(userID, channelURL: url)
    case .notifyMembers(let notice):
      stage?.handle(.notifyMembers(notice))
      home.tellAll(.membersNotice(notice))
    case .reportMemberCount(let count):
      stage?.handle(.memberCount(count))
      home.tellAll(.memberCount(count))
    case .enrich(let request): shard.enrich(request, in: self)
    case .ask(let question): ask(question)
    case .noteHook(let hook, let outcome): shard.services.hooks?.note(outcome, of: hook)
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
    // When a channel ends, no notices say that its users leave.
    if case .end = event.subject { handle(PresenceInput.ended) }
    if let userID = event.admittedUserID, shard.edge != nil {
      // The user may be connected where no other member is.
      home.search(
        admitted: userID, on: serversBesideStage, from: stageStart(after: event.previousSeq))
    }
    stage?.handle(.apply(event))
    home.tellAll(.event(event))
    if case .expulsion(let userID) = event.subject { handle(.expelled(userID: userID)) }
  }

  private func trace(of entry: EntryID) -> CallTrace? {
    guard !calls.traces.isEmpty, case .platform(let call)? = judge.call(of: entry) else {
      return nil
    }
    return calls.traces[call]
  }

  private func ticket(_ entry: EntryID) -> LogTicket {
    LogTicket(origin: number, number: entry.number)
  }

  private func answer(_ address: ReplyAddress, _ outcome: Result<JudgeAnswer, ServiceError>) {
    if case .success(.sent(let sent)) = outcome, sent.arrival == .repeated {
      shard.send(.session(address.session, .chargeRepetition(address.ticket)))
    }
    let epoch = epoch
    let result = outcome.map { $0.encodedAsResult(epoch: epoch) }
    if case .success(let answer) = outcome, answer.isCounted, let stage,
      address.session.server == server
    {
      stage.handle(StageInput.answerInOrder(address, result))
    } else {
      reply(to: address, result)
    }
  }

  /// Sends the outcome of a session's call, after all earlier events.
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
    if let timer {
      // A judge with notices to come requests the same time with each input.
      guard time != wakeTime else { return }
      shard.loop.cancel(timer)
    }
    wakeTime = time
    timer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
  }

  /// Gives up the channel to another home, to which every stage attaches.
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

  // MARK: The store

  /// Counts a store job whose result is handled by the channel.
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

extension ChannelHost: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    if token == timer {
      timer = nil
      handle(JudgeInput.deadline)
    }
  }
}
