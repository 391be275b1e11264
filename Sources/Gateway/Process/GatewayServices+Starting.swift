import Configuration
import FloodControl
import LinkPreview
import Logging
import Reactor
import Store
import Telemetry
import Unfurler
import Webhooks

extension GatewayServices {
  /// Opens what the shards share.
  convenience init(
    _ plan: GatewayPlan, shards: ShardSet, cluster: ClusterNode? = nil,
    relayCounts: RelayCounts = RelayCounts(), _ wait: StartWait? = nil, logger: Logger
  ) throws {
    let settings = plan.settings
    // One shard for each shard, one for the store's thread and one for the unfurler's.
    let metrics = GatewayMetrics(shards: shards.count + 2)
    let storeMetrics = metrics.latencies[shards.count]
    let fetchMetrics = metrics.latencies[shards.count + 1]
    let participantCounts = ParticipantCounts()
    let door = DeliveryHandle()
    var options = StoreOptions(
      logger: logger,
      outbox: OutboxOptions(settings.webhooks, counts: participantCounts, door: door),
      fileURL: FileAddress.composition(publicURL: settings.files.publicURL),
      onCommit: { nanoseconds, _ in storeMetrics.record(nanoseconds: nanoseconds, for: .commit) },
      afterBatch: { shards.wake() })
    if let wait { options.waitForServer = { wait.wait($0) } }
    options.didReconnect = { shards.sendToAll(LocalMessage.storeReconnected) }
    let depot = try FileDepots.make(settings, logger: logger)
    options.files = depot
    options.queryMilliseconds = settings.limits.queryMilliseconds
    options.sharing = cluster == nil ? .alone : .shared
    if settings.store.engine == .postgreSQL {
      options.lookUpReaderCount = settings.store.readers / 2
      options.queryReaderCount = settings.store.readers - options.lookUpReaderCount
    }
    let store: Store
    do {
      store = try Store(StorePlace(settings), options: options)
    } catch {
      throw error.asFailure(of: settings.store)
    }
    // Before anything is read that announcements are about.
    let controlLog = try cluster.map { _ in try ControlLog(store) }
    let authenticator = Authenticator(
      settings.auth.mode, plan.verifiers, store: store, sharing: options.sharing)
    let files = try FileStore(depot)
    let vault = try FileVault(
      settings, store: store, files: files, isAlone: cluster == nil, logger: logger)
    files.collectOrphans(in: store)
    let notices = SharedNotices(shards)
    self.init(
      settings: settings, shards: shards, store: store, files: files, vault: vault,
      previews: try PreviewService(
        settings, plan.fetching,
        shared: notices.map { notices in
          let shared = StoredPreviews(
            notices, store, byteLimit: max(settings.unfurl.cacheDiskBytes, 1 << 20))
          shared.trimRegularly()
          return shared
        },
        logger: logger
      ) { _, duration in
        fetchMetrics.record(nanoseconds: UInt64(max(0, duration / .nanoseconds(1))), for: .fetch)
      },
      webhooks: try Webhooks(
        settings.webhooks, store: store, cluster: notices.map(WebhookCluster.init), door: door,
        logger: logger),
      participantCounts: participantCounts, authenticator: authenticator,
      apiTokens: try APITokens(
        settings, issued: IssuedAPITokens(try store.performNow(APITokenList()))),
      limits: LimitTable(settings.limits, try store.performNow(SharedLimits())),
      messageIDs: MessageIDs(
        after: try store.performNow(LargestMessageID()), slot: shards.slot),
      metrics: metrics, relayCounts: relayCounts,
      descriptors: DescriptorPlan(limit: DescriptorLimit.raise()), cluster: cluster,
      controlLog: controlLog, clock: cluster?.clock ?? DeploymentClock(), logger: logger)
  }
}

extension StorePlace {
  /// The database that the settings name.
  fileprivate init(_ settings: Settings) {
    self =
      settings.store.url.map { .postgreSQL(url: $0.value) } ?? .directory(settings.dataDirectory)
  }
}

extension PreviewService {
  /// Creates the service with its unfurler and cache; `nil` if previews are off.
  ///
  /// - Parameters:
  ///   - shared: The previews of all servers; `nil` for a server alone, which keeps a file of its own.
  ///   - observeFetch: Called at the end of each fetch, on any thread.
  /// - Throws: An error that names the unusable setting, or the thread that cannot be started.
  convenience init?(
    _ settings: Settings, _ configuration: UnfurlerConfiguration, shared: StoredPreviews?,
    logger: Logger, observeFetch: @escaping FetchObserver
  ) throws {
    let unfurl = settings.unfurl
    let unfurler: any Unfurler
    switch unfurl.mode {
    case .off: return nil
    case .embedded: unfurler = try EmbeddedUnfurler(configuration: configuration)
    case .http:
      unfurler = try RemoteUnfurler(
        configuration: RemoteUnfurlerConfiguration(unfurl), logger: logger)
    }
    let cache = PreviewCache(
      directory: shared == nil ? settings.dataDirectory : nil, limits: PreviewCache.Limits(unfurl),
      logger: logger
    ) {
      SystemClock.unixMilliseconds
    }
    self.init(
      unfurler: unfurler, cache: cache, timeout: .milliseconds(unfurl.timeoutMilliseconds),
      logger: logger, domains: configuration.domainRules, shared: shared, observeFetch: observeFetch
    )
  }
}

extension PreviewCache.Limits {
  fileprivate init(_ settings: UnfurlSettings) {
    self.init()
    timeToLive = .seconds(settings.cacheSeconds)
    minimumTimeToLive = .seconds(settings.minimumCacheSeconds)
    negativeTimeToLive = .seconds(settings.negativeSeconds)
    staleTimeToLive = .seconds(settings.staleSeconds)
    maximumBytes = settings.cacheMemoryBytes
    maximumFileBytes = settings.cacheDiskBytes
  }
}

extension RemoteUnfurlerConfiguration {
  fileprivate init(_ settings: UnfurlSettings) throws(StartError) {
    guard let url = settings.url else { throw StartError("unfurl.url is not set") }
    self.init(url: url)
    userAgent = settings.userAgent ?? "Parley/\(Release.version)"
    maximumRequests = settings.maximumTransfers
    maximumRequestsPerUser = settings.maximumTransfersPerUser
  }
}
