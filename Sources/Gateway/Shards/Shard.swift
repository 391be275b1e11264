import Channels
import Configuration
import HTTP
import ParleyProtocol
import Reactor
import Store
import Telemetry
import Transport

/// One reactor of the gateway: an event loop with its connections and sessions, and with the channels
/// and users at home on this shard.
///
/// Confined to its thread. Other shards reach it through its ``ShardHandle``.
final class Shard {
  let handle: ShardHandle
  let services: GatewayServices
  /// This shard's copy of the settings in force.
  private(set) var settings: Settings
  private(set) var origins: OriginRules
  let loop: EventLoop
  private(set) lazy var transport = Transport(
    loop: loop, configuration: .init(services, loop: handle.index), delegate: self)
  private(set) lazy var channels = ChannelDirectory(shard: self)
  private(set) lazy var stages = StageDirectory(shard: self)
  private(set) lazy var users = UserDirectory(shard: self)
  /// The number of connections whose messages may refer to earlier ones, which costs memory for each.
  var contextCount = 0
  /// Channels that connections of this shard are in, by URL.
  var channelSubscribers: [String: ChannelSubscribers] = [:]

  /// The sessions of this shard that watch the numbers over their groups.
  var totalsWatches: [SessionAddress: TotalsWatch] = [:]

  /// The open sessions of this shard as the app's back end sees them, if it is asked about calls.
  var hookSessions: [SessionAddress: HookSession] = [:]

  /// The buffer in which the stages of channels leave their actions.
  var stageActions = StageActions()
  /// The actions of the running judge, in a buffer that all judges of this shard share.
  var judgeActions = JudgeActions()
  /// Receives the log's answers for the channels of this shard.
  private(set) lazy var logSink = ShardLogSink(returnPath)
  /// The writes of the turn's channels, submitted at its end.
  var writes = WriteBatch()
  /// The channels at home on this shard with the most messages.
  var busiest = BusiestChannels()
  /// Questions to shards that wait for answers.
  var polls = PendingPolls()
  /// The relief of memory that this shard has begun.
  var reliefRound: ReliefRound?
  /// The mail that this shard has sent to itself.
  private var ownMail: [ShardMail] = []
  /// Memory for the mail that is being handled.
  private var spareMail: [ShardMail] = []
  /// Mail for other shards that must arrive together.
  private var gathered: [(target: ShardHandle, mail: ShardMail)] = []
  private var isGathering = false
  private var reported = TransportCounters()
  private var reportedConnections = 0
  private var reportedQueuedConnections = 0
  private var reportedStreams = 0
  /// The published memory of this shard's connections.
  var publishedByteCount = 0
  var drain: ShardDrain?
  var audits = PendingAudits()
  /// The connection to other servers; `nil` on a single server.
  private(set) var edge: ShardEdge?
  /// The address bases that upgrade requests have named.
  var bases = NamedBases()
  let streams = StreamRelay()
  /// The session calls that are about to use files as pictures.
  var pictureCalls = PictureCalls()
  /// On the first shard.
  var uploadSweeper: UploadSweeper?
  /// On the first shard, unless messages are kept forever.
  var retentionSweeper: RetentionSweeper?
  /// On the first shard only.
  var emptyGroupSweeper: EmptyGroupSweeper?
  /// On the first shard, unless there is no search.
  var searchIndexer: SearchIndexer?
  /// On the first shard only.
  var longRequests: LongRequestRunner?
  /// The calls of this server itself that homes of channels have not answered.
  var homeCalls = HomeCalls()
  /// On the first shard only.
  var groupCensus: GroupCensus?
  /// On the first shard only.
  var reportSweeper: ReportSweeper?
  /// On the first shard only.
  var quotaWatch: QuotaWatch?
  var fileKeyRenewal: FileKeyRenewal?
  var clockWatch: ClockWatch?
  var metricRecorder: MetricRecorder?
  /// The tags of the listeners on which `/metrics` is served.
  var metricsListeners: Set<Int> = []
  /// The tags of the listeners that accept only host names of this machine.
  var loopbackListeners: Set<Int> = []

  init(handle: ShardHandle, services: GatewayServices) throws(SystemError) {
    self.handle = handle
    self.services = services
    let settings = services.settings
    self.settings = settings
    origins = OriginRules(allowed: settings.auth.allowedOrigins)
    loop = try EventLoop()
    _ = try loop.register(handle.mailbox.descriptor, for: .readable, handler: self)
    loop.endOfTurn = { [unowned self] in endTurn() }
    if let network = services.network {
      edge = ShardEdge(
        network, services.relayCounts, shard: self,
        timeout: settings.cluster.callTimeoutMilliseconds)
    }
  }

  var sessions: SessionTable { SessionTable(transport) }
  var counters: CounterShard<GatewayCounter> { services.metrics.counters[handle.index] }
  var gauges: GaugeShard<GatewayGauge> { services.metrics.gauges[handle.index] }
  var latencies: HistogramShard<GatewayLatency> { services.metrics.latencies[handle.index] }

  /// The largest number of WebSockets of the process.
  var connectionLimit: Int { services.descriptors.webSockets(settings.limits.connections) }

  /// Adopts reloaded settings.
  func adopt(_ new: Settings) {
    settings = new
    origins = OriginRules(allowed: new.auth.allowedOrigins)
    users.settingsDidChange()
  }

  /// Sends mail.
  ///
  /// Mail to one shard arrives in the order it was sent.
  ///
  /// Mail to this shard itself is handled in the same turn, but never within the caller's own work.
  func send(_ mail: ShardMail, to target: ShardHandle) {
    if target === handle {
      ownMail.append(mail)
    } else if isGathering {
      gathered.append((target, mail))
    } else {
      target.post(mail)
    }
  }

  /// Makes all mail that `body` sends to another shard arrive there together.
  ///
  /// Otherwise that shard could write the first part to a client, and read the client's next request
  /// before the second part arrives. A user who learns of a ban must already be out of the channel.
  func sendTogether(_ body: () -> Void) {
    guard !isGathering else { return body() }
    isGathering = true
    body()
    isGathering = false
    guard !gathered.isEmpty else { return }
    for target in services.shards.handles where target !== handle {
      let mail = gathered.compactMap { $0.target === target ? $0.mail : nil }
      if !mail.isEmpty { target.post(together: mail) }
    }
    gathered.removeAll(keepingCapacity: gathered.count < 4096)
  }

  /// Handles mail that has arrived.
  func workOn(_ mail: consuming ShardMail) {
    switch consume mail {
    case .message(let message): receive(message)
    case .local(let message): receive(message)
    case .rest(let rest): rest(self)
    }
  }

  private func endTurn() -> TurnOutcome {
    var mail = handle.mailbox.takeAll(reusing: takeSpareMail())
    workOn(all: &mail)
    spareMail = mail
    return finishTurn()
  }

  private func takeSpareMail() -> [ShardMail] {
    var mail: [ShardMail] = []
    swap(&mail, &spareMail)
    return mail
  }

  /// Handles all mail, and leaves its memory if it is not large.
  private func workOn(all mail: inout [ShardMail]) {
    for index in mail.indices {
      // Moved, since mail is large.
      var item = ShardMail.local(.stop)
      swap(&item, &mail[index])
      workOn(item)
    }
    mail.removeAll(keepingCapacity: mail.count < 4096)
  }

  /// Handles the mail that this shard has sent to itself, and flushes the output of this turn.
  func finishTurn() -> TurnOutcome {
    var mail = takeSpareMail()
    repeat {
      swap(&ownMail, &mail)
      workOn(all: &mail)
      // Fan-out follows when the turn's events are gathered, and may send further messages.
      if ownMail.isEmpty { channels.fanOut() }
    } while !ownMail.isEmpty
    spareMail = mail
    // Submitted before the fan-out is written, so that the disk and other servers work in parallel.
    services.store.submit(&writes)
    edge?.routes.flush()
    let outcome = transport.flush()
    services.store.submit(&writes)
    edge?.routes.flush()
    balanceMemory()
    report()
    services.refusals.writeSummaries(at: loop.now)
    return ownMail.isEmpty ? outcome : .unfinished
  }

  /// Adds the counts of the transport to the metrics.
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
    gauges.add(Int64(transport.streamCount - reportedStreams), to: .streams)
    reportedStreams = transport.streamCount
    reported = now
  }
}

extension Shard: ReadinessHandler {
  func descriptorIsReady(for readiness: Readiness) {
    // The contents of the mailbox are taken at the end of every turn.
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
      shards[loop].post(.local(.shed(pool)))
    }
    http.bodyBytes = limits.httpBodyBytes
    webSocket.messageBytes = limits.messageBytes
    bodyTimeout = limits.uploadTimeoutMilliseconds
    headTimeout = limits.headTimeoutMilliseconds
    keepAliveTimeout = limits.keepAliveTimeoutMilliseconds
    pingInterval = limits.pingIntervalMilliseconds
    pongTimeout = limits.pongTimeoutMilliseconds
    pongTimeoutCode = .pongTimeout
    slowConsumerCode = .slowConsumer
    outboundBytes = limits.outboundBytes
    gathersSystemCalls = settings.fanOut.ioUring == .auto
    forwarding = ForwardingRules(settings.proxy)
  }
}
