import Configuration
import LinkPreview
import Logging
import Reactor
import Unfurler

extension PreviewService {
  /// Creates the service with its unfurler and cache; `nil` if previews are off.
  ///
  /// - Parameter observeFetch: Called at the end of each fetch, on any thread.
  /// - Throws: An error that names the unusable setting, or the thread that cannot be started.
  convenience init?(
    _ settings: Settings, _ configuration: UnfurlerConfiguration, logger: Logger,
    observeFetch: @escaping FetchObserver
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
      directory: settings.dataDirectory, limits: PreviewCache.Limits(unfurl), logger: logger
    ) {
      SystemClock.unixMilliseconds
    }
    self.init(
      unfurler: unfurler, cache: cache, timeout: .milliseconds(unfurl.timeoutMilliseconds),
      logger: logger, domains: configuration.domainRules, observeFetch: observeFetch)
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
