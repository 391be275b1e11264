import Channels
import Configuration
import HTTP1
import Reactor
import Store
import Telemetry
import Transport
import WebSocket

/// One reactor of the gateway: an event loop with its connections and sessions, and with the
/// channels and users that are at home here.
///
/// Confined to its thread; other shards reach it through its ``ShardHandle``.
final class Shard {
  let handle: ShardHandle
  let services: GatewayServices
  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: .init(services, loop: handle.index), delegate: self)
  private(set) lazy var channels = ChannelDirectory(shard: self)
  private(set) lazy var users = UserDirectory(shard: self)
  /// Connections whose messages may refer to earlier ones, which costs memory for each.
  var contextCount = 0
  /// Channels that connections of this shard are in, by URL.
  var channelSubscribers: [String: ChannelSubscribers] = [:]

  /// The memory in which the stages of channels leave their actions.
  var stageActions = StageActions()
  /// The actions of the judge that is at work, in memory that all of this shard's judges use.
  var judgeActions = JudgeActions()
  /// Receives the log's answers for the channels of this shard.
  private(set) lazy var logSink = ShardLogSink(handle)
  /// What the turn's channels want written, submitted at its end.
  var writes = WriteBatch()
  private var localJobs: [ShardHandle.Job] = []
  private var mail: [ShardHandle.Job] = []
  private var reported = TransportCounters()
  private var reportedConnections = 0
  private var reportedQueuedConnections = 0
  /// The published memory of this shard's connections.
  var publishedByteCount = 0
  var drain: ShardDrain?
  /// The tags of the listeners on which `/metrics` is served.
  var metricsListeners: Set<Int> = []
  /// The tags of the listeners that answer only by names of this machine.
  var loopbackListeners: Set<Int> = []

  init(handle: ShardHandle, services: GatewayServices) throws(SystemError) {
    self.handle = handle
    self.services = services
    loop = try EventLoop()
    _ = try loop.register(handle.mailbox.descriptor, for: .readable, handler: self)
    loop.endOfTurn = { [unowned self] in endTurn() }
  }

  var sessions: SessionTable { SessionTable(transport) }
  var counters: CounterShard<GatewayCounter> { services.metrics.counters[handle.index] }
  var gauges: GaugeShard<GatewayGauge> { services.metrics.gauges[handle.index] }
  var latencies: HistogramShard<GatewayLatency> { services.metrics.latencies[handle.index] }

  /// Has something done on a shard, after all that this shard posted there before.
  ///
  /// What is for this shard itself is done in this very turn, but never within the caller's own
  /// work.
  func post(to target: ShardHandle, _ job: @escaping ShardHandle.Job) {
    if target === handle { localJobs.append(job) } else { target.post(job) }
  }

  /// Has something done where a channel is at home.
  func post(toChannel url: String, _ job: @escaping ShardHandle.Job) {
    post(to: services.shards.home(ofChannel: url), job)
  }

  /// Has something done with a channel where it is at home, if there is such a channel.
  func post(
    toChannel url: String, with job: @escaping @Sendable (ChannelHost) -> Void
  ) {
    post(toChannel: url) { shard in
      shard.channels.withChannel(url) { result in
        if case .success(let channel) = result { job(channel) }
      }
    }
  }

  /// Has something done where a user is at home.
  func post(toUser id: String, _ job: @escaping ShardHandle.Job) {
    post(to: services.shards.home(ofUser: id), job)
  }

  private func endTurn() -> TurnOutcome {
    mail = handle.mailbox.takeAll(reusing: mail)
    for job in mail { job(self) }
    mail.removeAll(keepingCapacity: mail.count < 4096)
    repeat {
      let jobs = localJobs
      localJobs = []
      for job in jobs { job(self) }
      // Fan-out comes when the turn's events are gathered, and may post further jobs.
      if localJobs.isEmpty { channels.fanOut() }
    } while !localJobs.isEmpty
    // Before the fan-out is written: the disk can work meanwhile.
    services.store.submit(&writes)
    let outcome = transport.flush()
    services.store.submit(&writes)
    balanceMemory()
    report()
    services.refusals.writeSummaries(at: loop.now)
    return localJobs.isEmpty ? outcome : .unfinished
  }

  /// Carries what the transport has counted over to the metrics.
  private func report() {
    let (transport, counters, gauges) = (transport, counters, gauges)
    let now = transport.counters
    counters.add(UInt64(now.accepted - reported.accepted), to: .connectionsAccepted)
    counters.add(UInt64(now.bytesReceived - reported.bytesReceived), to: .bytesReceived)
    counters.add(UInt64(now.bytesSent - reported.bytesSent), to: .bytesSent)
    counters.add(UInt64(now.slowConsumers - reported.slowConsumers), to: .slowConsumers)
    counters.add(
      UInt64(now.refusedByAddress - reported.refusedByAddress), to: .connectionsOverAddressLimit)
    counters.add(UInt64(now.shed - reported.shed), to: .connectionsShed)
    counters.add(UInt64(now.turnedAway - reported.turnedAway), to: .connectionsTurnedAway)
    gauges.add(Int64(transport.connectionCount - reportedConnections), to: .connections)
    reportedConnections = transport.connectionCount
    gauges.add(
      Int64(transport.queuedConnectionCount - reportedQueuedConnections), to: .queuedConnections)
    reportedQueuedConnections = transport.queuedConnectionCount
    reported = now
  }
}

extension Shard: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    // What is in the mailbox is taken at the end of every turn.
    handle.mailbox.acknowledge()
  }
}

extension TransportConfiguration {
  fileprivate init(_ services: GatewayServices, loop: Int) {
    self.init()
    let settings = services.settings
    let limits = settings.limits
    addresses = services.addresses
    sockets = SocketSharing(
      loop: loop, clients: services.clientSockets, operations: services.operationsSockets
    ) { [shards = services.shards] loop, pool in
      shards[loop].post { $0.transport.shed(in: pool) }
    }
    http.bodyBytes = limits.httpBodyBytes
    webSocket.messageBytes = limits.messageBytes
    bodyTimeout = limits.uploadTimeoutMilliseconds
    headTimeout = limits.headTimeoutMilliseconds
    pingInterval = limits.pingIntervalMilliseconds
    pongTimeout = limits.pongTimeoutMilliseconds
    pongTimeoutCode = .pongTimeout
    slowConsumerCode = .slowConsumer
    outboundBytes = limits.outboundBytes
    gathersSystemCalls = settings.fanOut.ioUring == .auto
    forwarding = ForwardingRules(settings.proxy)
  }
}
