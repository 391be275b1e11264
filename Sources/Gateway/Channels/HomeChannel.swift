import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import Store

/// A channel's state, on the one node where it is at home.
///
/// Judges what comes in, has it made durable, and plans who is told. Confined to its node.
final class HomeChannel {
  let url: String
  let storeID: Int64
  /// The channel as writes name it.
  let place: LogChannel
  unowned let node: Node

  /// As the store has it.
  var record: Channel {
    didSet { operatorIDs = Set(record.operators.map(\.id)) }
  }
  private(set) var operatorIDs: Set<String>
  /// Names the life of the count of events.
  let epoch: String
  /// The last event that was told.
  var lastSeq: Int64
  /// `created_at` never decreases.
  var lastCreatedAt: Int64
  var bans: [String: Restriction]
  var mutes: [String: Restriction]
  /// The limits that the channel has of its own.
  var ownLimits: [LimitKind: LimitOverride]
  var floodLimit: RateLimit {
    didSet { byteRate = ByteRate(beside: floodLimit) }
  }
  private(set) var byteRate: ByteRate
  var throttleLimit: RateLimit {
    didSet { stage.handle(.throttle(throttleLimit)) }
  }

  /// The channel's participants, and what they are shown.
  let stage: StageHost
  var floodGate = FloodGate<String>()
  /// Sends with a `req_id` that are on their way to the store.
  var repeatedSends: [RequestKey: [Answer<SentMessage>]] = [:]
  /// Which requests may have been carried out before.
  var recentRequests: RecentRequests
  /// The last requests of an ephemeral channel, which keeps them nowhere else.
  var ephemeralSends = EphemeralSends<SentMessage>()
  /// Jobs that the store has not answered.
  var pendingJobs = 0
  /// When the channel was last asked for; the loop's milliseconds.
  var lastUse: Int64
  var isDeleted = false

  convenience init(_ loaded: LoadedChannel, node: Node) {
    self.init(state: loaded.state, node: node)
    for send in loaded.recentSends where !isExemptFromFlood(send.userID) {
      floodGate.restore(send.userID, at: min(send.createdAt, loaded.time), limit: floodLimit)
    }
  }

  init(state: ChannelState, node: Node) {
    url = state.channel.url
    storeID = state.id
    place = state.place
    self.node = node
    record = state.channel
    operatorIDs = Set(state.channel.operators.map(\.id))
    // An ephemeral channel's count lives in memory only: each life has an epoch of its own.
    epoch = state.channel.isEphemeral ? Identifiers.epoch() : state.epoch
    lastSeq = state.channel.isEphemeral ? 0 : state.lastSeq
    lastCreatedAt = state.lastCreatedAt
    recentRequests = RecentRequests(unknownUntil: state.lastCreatedAt)
    bans = state.bans
    mutes = state.mutes
    let (limits, type) = (node.services.limits, state.channel.customType)
    ownLimits = [:]
    ownLimits[.flood] = state.floodOverride
    ownLimits[.throttle] = state.throttleOverride
    let flood = limits.floodLimit(of: state)
    floodLimit = flood
    byteRate = ByteRate(beside: flood)
    throttleLimit =
      state.throttleOverride.map(RateLimit.init) ?? limits.limit(.throttle, customType: type)
    stage = StageHost(
      ChannelStage(
        state.channel, epoch: epoch, lastSeq: lastSeq, throttleLimit: throttleLimit),
      of: state, on: node)
    lastUse = node.loop.now
  }

  /// How long a channel without participants stays in memory, at the least.
  private static let idleTime: Int64 = 30_000

  /// Whether the channel may be forgotten, and its flood windows with it.
  func isIdle(at now: Int64) -> Bool {
    let rest = max(Self.idleTime, floodLimit.windowMilliseconds)
    return stage.isIdle && pendingJobs == 0 && now - lastUse >= rest
  }

  func isOperator(_ userID: String) -> Bool { operatorIDs.contains(userID) }

  var services: GatewayServices { node.services }

  /// Unix milliseconds for the next event.
  var now: Int64 { services.clock.now }

  func origin(at timestamp: Int64) -> EventOrigin {
    EventOrigin(channelURL: url, timestamp: timestamp)
  }

  /// Takes over the channel's next event, and gives it to the participants.
  func publish(_ event: ChannelEvent) {
    lastSeq = event.seq
    stage.handle(.apply(event))
  }

  /// Changes the store, then goes on here with the outcome; jobs come back in their order.
  func write<T: Sendable>(
    _ job: @escaping @Sendable (WriteTransaction) throws -> T,
    then: @escaping @Sendable (HomeChannel, Result<T, ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    node.writes.write(job, completion: resume)
  }

  /// Looks something up in the store by its key, then goes on here with the outcome.
  func lookUp<T: Sendable>(
    _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    then: @escaping @Sendable (HomeChannel, Result<T, ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    services.store.lookUp(job, completion: resume)
  }

  /// Lists or searches in the store when it is the caller's turn, then goes on here with the
  /// outcome; the caller pays for the time.
  func query<T: Sendable>(
    for caller: QueryCaller, _ job: @escaping @Sendable (ReadTransaction) throws -> T,
    then: @escaping @Sendable (HomeChannel, Result<T, ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    let services = services
    services.store.query(for: caller.principal, job) { result, cost in
      caller.pay(cost, to: services)
      resume(result)
    }
  }

  /// Appends a message to the store, then goes on here.
  func append(
    _ message: UnsequencedMessage,
    then: @escaping @Sendable (HomeChannel, Result<AppendOutcome, ServiceError>) -> Void
  ) {
    let resume = resumption(then)
    node.writes.append(message, to: place, completion: resume)
  }

  /// Goes on here when all that was submitted before has been answered.
  func pass(then: @escaping @Sendable (HomeChannel, Result<Void, ServiceError>) -> Void) {
    let resume = resumption(then)
    node.writes.pass(completion: resume)
  }

  /// What brings a job's outcome back to this node.
  func resumption<T: Sendable>(
    _ then: @escaping @Sendable (HomeChannel, Result<T, ServiceError>) -> Void
  ) -> @Sendable (Result<T, any Error>) -> Void {
    pendingJobs += 1
    let channel = Confined(self)
    let handle = node.handle
    return { result in
      handle.leave { _ in
        channel.value.pendingJobs -= 1
        then(channel.value, result.serviceResult)
      }
    }
  }

  /// Queues an answer for the end of the turn, behind the events.
  ///
  /// An answer may name a position, and a client that has seen it must have seen all before it.
  func reply(_ outcome: CallOutcome, to address: ReplyAddress?) {
    guard let address else { return }
    stage.handle(.answer(address, outcome))
  }
}
