import Channels
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Store
import Telemetry

/// The host of a channel's stage on its shard: feeds the stage, carries its actions out, decides
/// nothing.
final class StageHost {
  private let url: String
  private let storeID: Int64
  private unowned let shard: Shard
  private var stage: ChannelStage
  /// Takes the users who enter and leave, for the judge.
  var notePresence: (JudgeInput) -> Void = { _ in }
  /// For the stage's next deadline.
  private var timer: EventLoop.TimerToken?
  /// Whether the shard is going to end the turn of this channel.
  private var awaitsEndOfTurn = false

  init(_ stage: consuming ChannelStage, of channel: ChannelState, on shard: Shard) {
    url = channel.channel.url
    storeID = channel.id
    self.shard = shard
    self.stage = stage
  }

  // MARK: Inputs

  /// Gives the stage an input, and carries out what follows.
  func handle(_ input: StageInput) {
    let shard = shard
    let now = Moment(unix: shard.services.clock.now, monotonic: shard.loop.now)
    stage.handle(input, at: now, into: &shard.stageActions)
    if !shard.stageActions.isEmpty { performActions(on: shard) }
    guard stage.awaitsEndOfTurn, !awaitsEndOfTurn else { return }
    awaitsEndOfTurn = true
    shard.channels.awaitsEndOfTurn(self)
  }

  /// Has the events and answers of the turn leave.
  func endTurn() {
    awaitsEndOfTurn = false
    handle(.endOfTurn)
  }

  // MARK: State for the judge

  var participantCount: Int { stage.participantCount }

  /// Whether nobody is in the channel or about to enter, and nothing waits.
  var isIdle: Bool { stage.isIdle }

  func contains(_ userID: String) -> Bool { stage.contains(userID) }

  /// The users who entered after a certain entry, earliest first.
  func participants(after entry: Int64, limit: Int) -> [Participant] {
    stage.participants(after: entry, limit: limit)
  }

  /// The throttle of a user who is in the channel.
  func throttle(of userID: String) -> Throttle? { stage.throttle(of: userID) }

  // MARK: Actions

  private func performActions(on shard: Shard) {
    var actions = StageActions()
    swap(&actions, &shard.stageActions)
    // By index: the list's memory is reused only while nothing else refers to it.
    for index in actions.list.indices { perform(actions.list[index], on: shard) }
    actions.removeAll()
    swap(&actions, &shard.stageActions)
  }

  private func perform(_ action: StageAction, on shard: Shard) {
    switch action {
    case .deliver(let plan, let index):
      shard.send(.shard(ShardAddress(shard: UInt16(index)), .deliver(plan)))
    case .notify(let event, let sessions, let index):
      shard.send(.shard(ShardAddress(shard: UInt16(index)), .notify(event, sessions)))
    case .reply(let address, let outcome): shard.reply(to: address, outcome)
    case .welcome(let address, let userID, let result):
      let entered = SessionMessage.entered(
        channelURL: url, userID: userID, address, result: result)
      shard.send(.session(address.session, entered))
    case .release(let principal): shard.release(url, principal)
    case .unsubscribe(let session):
      shard.send(.session(session, .removed(channelURL: url)))
    case .read(let read): self.read(read)
    case .entered(let user):
      notePresence(.entered(userID: user.id))
      countParticipants(1)
    case .left(let user):
      notePresence(.left(userID: user.id))
      countParticipants(-1)
    case .withheld(let count): shard.counters.add(UInt64(count), to: .withheld)
    case .wake(let time): wake(at: time)
    }
  }

  private func countParticipants(_ change: Int64) {
    shard.gauges.add(change, to: .participants)
    shard.services.participantCounts.set(stage.participantCount, of: url)
  }

  private func wake(at time: Int64) {
    if let timer { shard.loop.cancel(timer) }
    timer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
  }

  /// Reads for a connection that waits to enter: a look-up, charged as the list that it is.
  private func read(_ read: RecoveryRead) {
    let job = job(for: read)
    let host = LoopBound(self)
    let path = shard.returnPath
    let completion: @Sendable (Result<[DurableEvent]?, any Error>) -> Void = { result in
      path.enqueue { _ in
        host.value.handle(.recovered(read.number, result.serviceResult))
      }
    }
    switch read.path {
    case .beside:
      let (caller, services) = (QueryCaller.session(read.principal), shard.services)
      services.store.lookUp(
        { transaction in
          let start = SystemClock.monotonicNanoseconds
          defer {
            let time = UInt64(max(0, SystemClock.monotonicNanoseconds - start))
            caller.pay(QueryCost(nanoseconds: time, isCutShort: false), to: services)
          }
          return try job(transaction)
        }, completion: completion)
    case .behindWrites: shard.writes.write({ try job($0) }, completion: completion)
    }
  }

  /// Reads the missed events, behind the updates that may have been held back.
  private func job(
    for read: RecoveryRead
  ) -> @Sendable (any StoreTransaction) throws -> [DurableEvent]? {
    let id = storeID
    return { transaction in
      guard
        let missed = try transaction.events(
          channelID: id, after: read.seq, byteLimit: read.byteLimit)
      else { return nil }
      guard let reach = read.updateReach else { return missed }
      let updates = try transaction.recentUpdates(channelID: id, upTo: read.seq, within: reach)
      return updates.map { $0 + missed }
    }
  }
}

extension StageHost: TimerHandler {
  func timerDidFire(_ token: EventLoop.TimerToken) {
    guard token == timer else { return }
    timer = nil
    handle(.deadline)
  }
}
