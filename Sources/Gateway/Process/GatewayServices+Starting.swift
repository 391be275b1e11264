import Channels
import Bus
import Configuration
import FloodControl
import LinkPreview
import Logging
import PushDelivery
import Reactor
import Store
import Telemetry
import Translator
import Unfurler
import Webhooks

extension GatewayServices {
  /// Creates the services that the shards share.
  convenience init(
    _ plan: GatewayPlan, shards: ShardSet, cluster: ClusterNode? = nil,
    relayCounts: RelayCounts = RelayCounts(), entrance: Entrance? = nil, _ wait: StartWait? = nil,
    logger: Logger
  ) throws {
    let settings = plan.settings
    // One for each shard, and one each for the threads of the store, the unfurler, the thumbnails, the
    // translator and the hooks.
    let metrics = GatewayMetrics(shards: shards.count + 5)
    let hookMetrics = metrics.latencies[shards.count + 4]
    let translationMetrics = metrics.latencies[shards.count + 3]
    let thumbnailMetrics = metrics.latencies[shards.count + 2]
    let storeMetrics = metrics.latencies[shards.count]
    let fetchMetrics = metrics.latencies[shards.count + 1]
    let participantCounts = ParticipantCounts()
    let door = DeliveryHandle()
    let pushDoor = PushDoor()
    var options = StoreOptions(
      logger: logger,
      outbox: OutboxOptions(settings.webhooks, counts: participantCounts, door: door),
      fileURL: FileAddress.composition(publicURL: settings.files.publicURL),
      onCommit: { nanoseconds, _ in storeMetrics.record(nanoseconds: nanoseconds, for: .commit) },
      afterBatch: { shards.wake() })
    if let wait { options.waitForServer = { wait.wait(for: .database, $0) } }
    options.didReconnect = { shards.sendToAll(LocalMessage.storeReconnected) }
    if let network = cluster?.network {
      options.healthDidChange = { network.storeDidChange(canWrite: $0 == .healthy) }
    }
    let depot = try FileDepots.make(settings, logger: logger)
    options.files = depot
    options.outageMilliseconds = Int(settings.cluster.callTimeoutMilliseconds)
    options.queryMilliseconds = settings.limits.queryMilliseconds
    options.sharing = cluster == nil ? .alone : .shared
    options.push = PushJobOptions(settings.push, sharing: options.sharing, door: pushDoor)
    if settings.store.engine == .postgreSQL {
      options.lookUpReaderCount = settings.store.readers / 2
      options.queryReaderCount = settings.store.readers - options.lookUpReaderCount
    }
    let store: Store
    do {
      // The data directory has keys and caches, wherever the store is.
      try DataDirectory.create(settings.dataDirectory)
      store = try Store(StorePlace(settings), options: options)
    } catch {
      throw error.asFailure(of: settings.store)
    }
    // Must precede reading anything that announcements can change.
    let controlLog = try cluster.map { _ in try ControlLog(store) }
    let authenticator = Authenticator(
      settings.auth.mode, try TokenKeys(settings, plan.verifiers, logger: logger), store: store,
      sharing: options.sharing)
    let files = try FileStore(depot)
    let vault = try FileVault(
      settings, store: store, files: files, sharing: options.sharing, logger: logger)
    files.collectOrphans(in: store)
    let notices = SharedNotices(shards)
    let clock = cluster?.clock ?? DeploymentClock()
    let messageIDs = MessageIDs(
      after: try store.performNow(LargestMessageID()), slot: shards.slot)
    let start = clock.moment
    let gap = messageIDs.newestTime.map { start.unix - $0 } ?? 0
    let hold = DeletionHold(settings.store.deletionHoldSeconds * 1_000, at: start, gap: gap)
    let thumbnails = try ThumbnailService.start(
      settings, vault: vault, clock: clock, logger: logger
    ) { thumbnailMetrics.record(nanoseconds: $0, for: .thumbnail) }
    let apiTokens = try APITokens(
      settings, issued: IssuedAPITokens(try store.performNow(APITokenList())))
    let source = try PreviewSource(
      settings, plan.fetching, thumbnails, key: apiTokens.sealingKey, logger: logger)
    let pushes = try PushRegistrar(settings, store: cluster.map { _ in store })
    let onlineUsers = OnlineUsers(isShared: shards.network != nil)
    self.init(
      settings: settings, shards: shards, store: store, files: files, vault: vault,
      previews: PreviewService(
        settings, plan.fetching, source?.unfurler,
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
      pictures: source?.pictures,
      webhooks: try Webhooks(
        settings.webhooks, store: store, cluster: notices?.lanes(of: .webhooks), door: door,
        clock: clock, hold: hold, logger: logger),
      participantCounts: participantCounts, authenticator: authenticator,
      apiTokens: apiTokens,
      limits: LimitTable(settings.limits, try store.performNow(SharedLimits())),
      messageIDs: messageIDs,
      metrics: metrics, relayCounts: relayCounts,
      descriptors: DescriptorPlan(limit: DescriptorLimit.raise()), cluster: cluster,
      controlLog: controlLog,
      thumbnails: thumbnails,
      translator: try .start(settings, logger: logger) {
        translationMetrics.record(nanoseconds: $0, for: .translation)
      },
      hooks: try .start(settings, logger: logger) {
        hookMetrics.record(nanoseconds: $0, for: .hook)
      },
      onlineUsers: onlineUsers, pushes: pushes,
      push: try PushDelivery(
        settings.push, webKey: pushes.webKey, store: store, cluster: notices?.lanes(of: .push),
        onlineUsers: onlineUsers, door: pushDoor, clock: clock, logger: logger),
      audit: try AuditLog(settings.audit, logger: logger),
      certificate: plan.listening.certificate, clock: clock, deletionHold: hold,
      entrance: entrance,
      modules: LastingModules(
        inDirectory: settings.dataDirectory + "/" + LastingModules.directoryName, logger: logger),
      logger: logger)
    clockRecord.noteStart(gap: gap, hold: hold.rest(at: start), logger: logger)
    clockRecord.note(lag: clockLag(at: start.unix), logger: logger)
  }
}

extension StorePlace {
  /// The database in the settings.
  init(_ settings: Settings) {
    self.init(url: settings.store.url?.value, directory: settings.dataDirectory)
  }
}

extension PreviewService {
  /// Creates the service with its cache; `nil` if previews are off.
  ///
  /// - Parameters:
  ///   - unfurler: The source of previews; `nil` when previews are off.
  ///   - shared: The previews of all servers; `nil` on a single server, which uses its own file.
  ///   - observeFetch: Called at the end of each fetch, on any thread.
  convenience init?(
    _ settings: Settings, _ configuration: UnfurlerConfiguration, _ unfurler: (any Unfurler)?,
    shared: StoredPreviews?, logger: Logger, observeFetch: @escaping FetchObserver
  ) {
    guard let unfurler else { return nil }
    let unfurl = settings.unfurl
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

/// The source of previews in the settings, and the source of their pictures.
private struct PreviewSource {
  let unfurler: any Unfurler
  let pictures: PreviewPictures?

  /// - Throws: An error that names the invalid setting, the thread that cannot be started, or the
  ///   directory of pictures.
  init?(
    _ settings: Settings, _ configuration: UnfurlerConfiguration, _ thumbnails: ThumbnailService,
    key: [UInt8], logger: Logger
  ) throws {
    switch settings.unfurl.mode {
    case .off: return nil
    case .embedded:
      let embedded = try EmbeddedUnfurler(configuration: configuration)
      pictures = try PreviewPictures(
        settings, embedded, thumbnails, key: key, logger: logger)
      unfurler = pictures.map { PicturingUnfurler(embedded, pictures: $0) } ?? embedded
    case .http:
      pictures = nil
      unfurler = try RemoteUnfurler(
        configuration: RemoteUnfurlerConfiguration(settings.unfurl), logger: logger)
    }
  }
}

extension PreviewPictures {
  /// - Returns: `nil` when viewers load pictures from the servers of the pages.
  fileprivate convenience init?(
    _ settings: Settings, _ fetcher: any PictureFetcher, _ thumbnails: ThumbnailService,
    key: [UInt8], logger: Logger
  ) throws {
    guard settings.unfurl.images == .proxy, let url = settings.files.publicURL else { return nil }
    if !thumbnails.isOn {
      logger.warning("unfurl.images is proxy, but thumbnails are off: previews have no pictures")
    }
    self.init(
      Naming(base: url.hasSuffix("/") ? String(url.dropLast()) : url, key: key),
      fetcher: fetcher, thumbnails: thumbnails,
      shelf: try PictureShelf(
        directory: settings.dataDirectory + "/" + PictureShelf.directoryName,
        byteLimit: Int64(settings.unfurl.imagesDiskBytes), logger: logger),
      failureTime: .seconds(max(1, settings.unfurl.negativeSeconds)),
      timeout: .milliseconds(settings.unfurl.timeoutMilliseconds), logger: logger)
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
    hidesOrigins = settings.images == .proxy
  }
}

extension RemoteUnfurlerConfiguration {
  fileprivate init(_ settings: UnfurlSettings) throws(StartError) {
    guard let url = settings.url else { throw StartError("unfurl.url is not set") }
    self.init(url: url)
    userAgent = settings.userAgent ?? "Parley/\(Release.number)"
    maximumRequests = settings.maximumTransfers
    maximumRequestsPerUser = settings.maximumTransfersPerUser
  }
}
