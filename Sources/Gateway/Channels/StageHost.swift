import Store
import Channels
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Telemetry

/// The host of a channel's stage on its shard: feeds the stage, carries its actions out, decides
/// nothing.
final class StageHost {
  private let url: String
  /// The channel as the log names it.
  private let place: LogChannel
  private unowned let shard: Shard
  private var stage: ChannelStage
  /// Takes the users who enter and leave, for the channel's home.
  var report: (PresenceInput) -> Void = { _ in }
  /// For the stage's next deadline.
  private var timer: EventLoop.TimerToken?
  /// Whether the shard is going to end the turn of this channel.
  private var awaitsEndOfTurn = false

  init(_ stage: consuming ChannelStage, of channel: ChannelState, on shard: Shard) {
    url = channel.channel.url
    place = channel.place
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

  // MARK: State

  /// Whether nobody is here or about to enter, and nothing waits.
  var isIdle: Bool { stage.isIdle }

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
    case .entered(let user, let session): report(.entered(user, session))
    case .left(let userID): report(.left(userID: userID, server: 0))
    case .withheld(let count): shard.counters.add(UInt64(count), to: .withheld)
    case .wake(let time): wake(at: time)
    }
  }

  private func wake(at time: Int64) {
    if let timer { shard.loop.cancel(timer) }
    timer = shard.loop.schedule(after: max(time - shard.loop.now, 0), self)
  }

  /// Reads for a connection that waits to enter: a look-up, charged as the list that it is.
  private func read(_ read: RecoveryRead) {
    let missed = LogRead.missed(
      channelID: place.id, after: read.seq, byteLimit: read.byteLimit,
      updatesWithin: read.updateReach)
    let ticket = LogTicket(number: 0)
    let (host, path) = (LoopBound(self), shard.returnPath)
    let (caller, services) = (QueryCaller.session(read.principal), shard.services)
    let reply = LogReply { answer in
      caller.pay(answer.cost, to: services)
      path.enqueue { _ in host.value.handle(.recovered(read.number, answer.missedEvents)) }
    }
    switch read.path {
    case .beside: services.store.read(missed, ticket, to: reply)
    case .behindWrites:
      shard.writes.submit(LogSubmission(ticket, .write(.read(missed), place)), to: reply)
    }
  }
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
    guard token == timer else { return }
    timer = nil
    handle(.deadline)
  }
}
