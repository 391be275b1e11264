import Channels
import Cluster
import Configuration
import Hooks
import Logging
import PushDelivery
import Reactor
import Store
import Streams
import Synchronization
import Translator
import Transport
import Unfurler
import Webhooks

/// The services that all shards share.
final class GatewayServices: Sendable {
  private let inForce: Mutex<Settings>
  /// The reloads of the settings, for metrics.
  let reloads = ReloadRecord()
  let storedGroups = StoredGroupCount()
  let shards: ShardSet
  let store: Store
  let files: FileStore
  let modules: LastingModules
  let vault: FileVault
  let uploads: UploadService
  let thumbnails: ThumbnailService
  /// The sends that wait for requested additions.
  let sendWaits = SendWaitBudget()
  let publicPath: PublicPath
  /// `nil` when previews are off.
  let previews: PreviewService?
  /// `nil` when viewers load pictures from the servers of the pages.
  let pictures: PreviewPictures?
  /// `nil` when no events are posted.
  let webhooks: Webhooks?
  let participantCounts: ParticipantCounts
  /// `nil` on a single server.
  let cluster: (any ClusterObserver)?
  /// This server, as it is known without a cluster.
  let lone: LoneServer
  let authenticator: Authenticator
  let apiTokens: APITokens
  let tokenRates: TokenRates
  let previewRates: UserRates
  let translationRates: UserRates
  let groupRates: GroupRates
  let quotas: Quotas
  let usage = UsageRecord()
  let searches: Searches
  let userFlood = UserFlood()
  let reports = ReportIntake()
  let onlineUsers: OnlineUsers
  let pushes: PushRegistrar
  /// `nil` when no pushes are sent.
  let push: PushDelivery?
  let fileLookUpTime = FileLookUpTime()
  let downloadTurns = DownloadTurns()
  /// `nil` when translations are off.
  let translator: Translator?
  /// `nil` when the app's back end is asked about nothing.
  let hooks: Hooks?
  let streamKey = StreamKey()
  let limits: LimitTable
  /// The file descriptors of the process.
  let descriptors: DescriptorPlan
  /// Milliseconds of the steady clock.
  let startedAt = SystemClock.monotonicMilliseconds
  let clock: DeploymentClock
  let clockRecord = ClockRecord()
  let metricRecord = MetricRecord()
  let deletionHold: DeletionHold
  let messageIDs: MessageIDs
  let metrics: GatewayMetrics
  let memory: MemoryBudget
  /// The numbers of connections by address.
  let addresses: AddressRegister
  let clientSockets: SocketBudget
  let operationsSockets: SocketBudget
  let refusals: RefusalLog
  /// `nil` when there is no audit log.
  let audit: AuditLog?
  /// `nil` without TLS.
  let certificate: TLSServerContextHolder?
  let logger: Logger
  let relayCounts: RelayCounts
  /// The changes of all servers; `nil` on a single server.
  let controlLog: ControlLog?
  /// The listening sockets, which another gateway of the process may serve later.
  private let entrance: Entrance?
  private let lifecycle = Atomic(Lifecycle.starting.rawValue)
  private let undrainedShards: Atomic<Int>
  private let departure = Atomic(false)
  private let isToReturn = Atomic(false)

  /// The stage of the process lifecycle.
  enum Lifecycle: Int, Sendable {
    case starting
    case serving
    case draining
  }

  init(
    settings: Settings, shards: ShardSet, store: Store, files: FileStore, vault: FileVault,
    previews: PreviewService?, pictures: PreviewPictures? = nil,
    webhooks: Webhooks?, participantCounts: ParticipantCounts,
    authenticator: Authenticator, apiTokens: APITokens, limits: LimitTable, messageIDs: MessageIDs,
    metrics: GatewayMetrics, relayCounts: RelayCounts = RelayCounts(),
    descriptors: DescriptorPlan, cluster: (any ClusterObserver)? = nil,
    controlLog: ControlLog? = nil, thumbnails: ThumbnailService? = nil,
    translator: Translator? = nil, hooks: Hooks? = nil, onlineUsers: OnlineUsers? = nil,
    pushes: PushRegistrar? = nil, push: PushDelivery? = nil, audit: AuditLog? = nil,
    certificate: TLSServerContextHolder? = nil,
    clock: DeploymentClock = DeploymentClock(), deletionHold: DeletionHold? = nil,
    entrance: Entrance? = nil, modules: LastingModules = LastingModules(), logger: Logger
  ) {
    self.entrance = entrance
    lone = LoneServer(settings.cluster)
    self.cluster = cluster
    self.controlLog = controlLog
    self.clock = clock
    let hold =
      deletionHold
      ?? DeletionHold(settings.store.deletionHoldSeconds * 1_000, at: clock.moment, gap: 0)
    self.deletionHold = hold
    inForce = Mutex(settings)
    self.shards = shards
    self.store = store
    self.files = files
    self.modules = modules
    self.vault = vault
    self.thumbnails =
      thumbnails
      ?? ThumbnailService(off: "none are made here", vault: vault, logger: logger)
    uploads = UploadService(
      settings, store: store, vault: vault, key: apiTokens.sealingKey, clock: clock, hold: hold,
      logger: logger)
    publicPath = PublicPath(publicURL: settings.files.publicURL)
    self.previews = previews
    self.pictures = pictures
    self.webhooks = webhooks
    self.participantCounts = participantCounts
    self.authenticator = authenticator
    self.apiTokens = apiTokens
    memory = MemoryBudget(limit: settings.limits.memoryBytes, shards: shards.count)
    groupRates = GroupRates(settings.groups)
    quotas = Quotas(settings.limits.quotas) { [clock] in clock.now }
    searches = Searches(isOn: settings.search.mode == .on)
    self.onlineUsers = onlineUsers ?? OnlineUsers(isShared: shards.network != nil)
    self.pushes = pushes ?? PushRegistrar(settings.push)
    self.push = push
    tokenRates = TokenRates(settings.limits.platformCalls)
    previewRates = UserRates(perSecond: settings.limits.previewFetchesPerSecond)
    translationRates = UserRates(perSecond: settings.limits.translationsPerSecond)
    self.translator = translator
    self.hooks = hooks
    self.limits = limits
    self.messageIDs = messageIDs
    self.metrics = metrics
    self.relayCounts = relayCounts
    self.descriptors = descriptors
    addresses = AddressRegister(AddressLimits(settings.limits))
    clientSockets = descriptors.clients(loops: shards.count)
    operationsSockets = descriptors.operations(loops: shards.count)
    refusals = RefusalLog(logger: logger)
    self.audit = audit
    self.certificate = certificate
    self.logger = logger
    undrainedShards = Atomic(shards.count)
  }

  /// The settings in force.
  ///
  /// Each shard has its own copy.
  var settings: Settings {
    get { inForce.withLock { $0 } }
    set { inForce.withLock { $0 = newValue } }
  }

  /// The time by both clocks.
  var now: Moment { clock.moment }

  /// The known lag of the clock relative to the newest message, in milliseconds.
  func clockLag(at time: Int64) -> Int64 { max(0, (messageIDs.newestTime ?? 0) - time) }

  /// The connection to the other servers; `nil` on a single server.
  var network: (any ClusterNetwork)? { shards.network }

  /// The number of this server; 0 for a single server.
  var server: UInt16 { shards.network?.local.slot ?? 0 }

  var stage: Lifecycle { Lifecycle(rawValue: lifecycle.load(ordering: .relaxed)) ?? .draining }

  /// Starts to serve, unless the gateway has begun to stop.
  func serve() {
    _ = lifecycle.compareExchange(
      expected: Lifecycle.starting.rawValue, desired: Lifecycle.serving.rawValue,
      ordering: .relaxed)
  }

  /// Begins to stop at the request of an operator.
  func drain() {
    isToReturn.store(false, ordering: .relaxed)
    // Clients must be refused at once when the shards stop listening.
    if !hasLeftCluster { entrance?.close() }
    beginDraining()
  }

  private func beginDraining() {
    lifecycle.store(Lifecycle.draining.rawValue, ordering: .relaxed)
    sendWaits.close()
    cluster?.drain()
    shards.sendToAll(.drain)
  }

  /// Whether the cluster continues without this server, which drains for that reason.
  var hasLeftCluster: Bool { departure.load(ordering: .relaxed) }

  /// Whether the process should join the cluster again, as another server.
  var startsAgain: Bool { isToReturn.load(ordering: .relaxed) }

  /// Begins to stop because the cluster continues without this server.
  ///
  /// Other servers have already taken over its channels and users, so everything is given up, and
  /// nothing of it is restored.
  func leaveCluster(reason: String) {
    guard !departure.exchange(true, ordering: .relaxed) else { return }
    if stage != .draining { isToReturn.store(true, ordering: .relaxed) }
    logger.error(
      "leaving the cluster, to join it again as another server", metadata: ["reason": "\(reason)"])
    store.hurry(within: 1_000)
    beginDraining()
  }

  /// Records that a shard has drained.
  ///
  /// The last one stops all shards.
  func shardDidDrain() {
    let (_, left) = undrainedShards.subtract(1, ordering: .acquiringAndReleasing)
    guard left == 0 else { return }
    shards.sendToAll(.stop)
  }

  /// The reason why the gateway is not ready to serve; `nil` when it is ready.
  var unreadiness: String? {
    switch stage {
    case .starting: return "starting"
    case .draining: return "draining"
    case .serving: break
    }
    let failure: String? =
      if case .failing(let reason) = store.health { "storage fails: \(reason)" } else { nil }
    if let reason = authenticator.keys.unreadiness { return reason }
    // In a cluster, readiness depends on whether other servers can do what this one cannot.
    guard let cluster else { return failure }
    return cluster.unreadiness.map { failure ?? $0 }
  }
}
