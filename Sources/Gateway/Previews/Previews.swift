import Configuration
import LinkPreview
import Logging
import ParleyProtocol
import Reactor
import Unfurler

/// The preview pipeline as the settings want it: unfurler, cache, and the service in front of them.
final class Previews: Sendable {
  private let unfurler: any Unfurler
  private let cache: PreviewCache
  private let service: PreviewService
  private let domains: DomainRules
  /// The service that is asked for previews, if one is.
  private let remote: RemoteUnfurler?

  /// - Parameter observeFetch: Told of each fetch that has ended, on any thread.
  /// - Returns: `nil` when previews are off.
  /// - Throws: What stands in the way, in words for the operator.
  init?(
    _ settings: Settings, _ configuration: UnfurlerConfiguration, logger: Logger,
    observeFetch: @escaping PreviewService.FetchObserver
  ) throws {
    let unfurl = settings.unfurl
    switch unfurl.mode {
    case .off: return nil
    case .embedded:
      unfurler = try EmbeddedUnfurler(configuration: configuration)
      remote = nil
    case .http:
      let remote = try RemoteUnfurler(
        configuration: RemoteUnfurlerConfiguration(unfurl), logger: logger)
      unfurler = remote
      self.remote = remote
    }
    let domains = configuration.domainRules
    self.domains = domains
    cache = PreviewCache(
      directory: settings.dataDirectory, limits: PreviewCache.Limits(unfurl), logger: logger
    ) {
      SystemClock.unixMilliseconds
    }
    service = PreviewService(
      unfurler: unfurler, cache: cache, timeout: .milliseconds(unfurl.timeoutMilliseconds),
      logger: logger,
      refusal: { link in WebURL(link.url).flatMap { domains.refusal(of: $0.host) } },
      observeFetch: observeFetch)
  }

  /// What is known of a link; memory only.
  func lookUp(_ link: Link, for requester: PreviewRequester) -> PreviewLookup {
    service.lookUp(link, for: requester)
  }

  /// Fetches a link's preview.
  ///
  /// - Parameter completion: Called once, on any thread, with `nil` when there is no preview.
  func request(
    _ link: Link, for requester: PreviewRequester,
    completion: @escaping @Sendable (OpenGraphTag?) -> Void
  ) {
    service.request(link, for: requester, completion: completion)
  }

  /// Looks a link up anew, whatever is remembered, and tells how it went.
  func explain(_ link: Link, completion: @escaping @Sendable (PreviewExplanation) -> Void) {
    service.explain(link, completion: completion)
  }

  /// A page of what is remembered.
  func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage) -> Void
  ) {
    service.entries(selection, after: cursor, limit: limit, completion: completion)
  }

  /// Forgets what is remembered, and tells how many links that were.
  func purge(_ selection: PreviewSelection, completion: @escaping @Sendable (Int) -> Void) {
    service.purge(selection, completion: completion)
  }

  /// What has happened so far.
  var counters: PreviewCounters { service.counters }

  /// Whether the service that is asked for previews answers; `nil` when none is asked.
  var isServiceUp: Bool? { remote.map { !$0.isServiceDown } }

  /// Reads the opt-out file again.
  ///
  /// - Throws: Why it cannot be used, in words; the list stays as it was.
  func reload() throws(DomainRulesError) { try domains.reload() }

  /// Fetches nothing more, and writes the cache out.
  func shutDown() {
    service.shutdown()
    unfurler.shutdown()
    cache.close()
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
