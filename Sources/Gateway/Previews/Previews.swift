import Configuration
import LinkPreview
import Logging
import ParleyProtocol
import Reactor
import Unfurler

/// The preview pipeline as the settings want it: unfurler, cache, and the service in front of them.
final class Previews: Sendable {
  private let unfurler: EmbeddedUnfurler
  private let cache: PreviewCache
  private let service: PreviewService

  /// - Returns: `nil` when previews are off.
  /// - Throws: What stands in the way, in words for the operator.
  init?(_ settings: Settings, logger: Logger) throws {
    let unfurl = settings.unfurl
    switch unfurl.mode {
    case .off: return nil
    case .http:
      throw StartError("unfurl.mode = http is not part of this version: use embedded or off")
    case .embedded: break
    }
    unfurler = try EmbeddedUnfurler(configuration: UnfurlerConfiguration(unfurl))
    var limits = PreviewCache.Limits()
    limits.timeToLive = .seconds(unfurl.cacheSeconds)
    limits.negativeTimeToLive = .seconds(unfurl.negativeSeconds)
    cache = PreviewCache(directory: settings.dataDirectory, limits: limits, logger: logger) {
      SystemClock.unixMilliseconds
    }
    service = PreviewService(
      unfurler: unfurler, cache: cache, timeout: .milliseconds(unfurl.timeoutMilliseconds),
      logger: logger)
  }

  /// What is known of a link; memory only.
  func lookUp(_ link: Link) -> PreviewLookup { service.lookUp(link) }

  /// Fetches a link's preview.
  ///
  /// - Parameter completion: Called once, on any thread, with `nil` when there is no preview.
  func request(_ link: Link, completion: @escaping @Sendable (OpenGraphTag?) -> Void) {
    service.request(link, completion: completion)
  }

  /// Fetches nothing more, and writes the cache out.
  func shutDown() {
    service.shutdown()
    unfurler.shutdown()
    cache.close()
  }
}

extension UnfurlerConfiguration {
  fileprivate init(_ settings: UnfurlSettings) throws {
    self.init()
    maximumBytes = settings.maximumBytes
    maximumRedirects = settings.maximumRedirects
    addressPolicy = AddressPolicy(
      allowing: try settings.allowedNetworks.map { try Network(parsing: $0.description) })
    let ports = settings.allowedPorts.map { "\($0.lowerBound)-\($0.upperBound)" }
    portPolicy = try PortPolicy(parsing: ports.joined(separator: ","))
    userAgent = "Parley/\(Release.version) (+link preview)"
  }
}

/// Why the gateway can't start, in words for the operator.
struct StartError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
