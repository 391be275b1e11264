package import Basics
import Curl
package import LinkPreview
package import Logging
import Reactor
import Synchronization

/// Queries a preview service over HTTP, on a thread of its own.
///
/// While the service does not answer, links are answered at once with a failure that says so. Such
/// failures say nothing about their pages and are not to be kept.
package final class RemoteUnfurler: Unfurler {
  private let thread: CurlThread<RemoteLoop.Request>
  private let health: ServiceHealth
  private let lastID = Atomic<UInt64>(0)

  /// Starts the thread; the service itself is first asked when there is a link.
  ///
  /// - Throws: ``UnfurlError/failed(_:)`` when the service's URL cannot be used, or the thread or
  ///   libcurl cannot be started.
  package init(
    configuration: RemoteUnfurlerConfiguration, logger: Logger
  ) throws(UnfurlError) {
    guard let url = WebURL(configuration.url) else {
      throw .failed("the unfurl service's URL is not an http or https URL without userinfo")
    }
    // Without the query, which may hold a key and has no business in a log.
    let shown = String(url.textWithoutFragment.prefix { $0 != "?" })
    let health = ServiceHealth(url: shown, configuration, logger: logger)
    self.health = health
    do throws(CurlError) {
      thread = try CurlThread(
        // Messages come first: they must not wait for previews.
        name: "unfurl-client", priority: .background,
        maximumConnections: configuration.maximumRequests
      ) { RemoteLoop($0, service: url, configuration: configuration, health: health) }
    } catch {
      throw .failed(error.description)
    }
  }

  package func unfurl(
    _ link: Link, for requester: PreviewRequester, deadline: Duration,
    completion: @escaping @Sendable (UnfurlReport) -> Void
  ) -> UnfurlTask {
    let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
    let question = RemoteQuestion(
      id: id, link: link, requester: requester, siteKey: link.webURL.siteKey,
      deadline: .now.advanced(by: deadline), completion: completion)
    guard thread.post(.start(question)) else {
      completion(.cancelled)
      return UnfurlTask {}
    }
    return UnfurlTask { [weak thread] in _ = thread?.post(.cancel(id)) }
  }

  /// Whether the service answers; a service that is down is tried only now and then.
  package var isServiceUp: Bool? { !health.isDown }

  /// The state of the service.
  package var serviceState: CircuitBreaker.State { health.state }

  /// Cancels all look-ups and waits for the thread's end; afterwards every one is cancelled at
  /// once, on the caller's thread.
  package func shutdown() { thread.stop() }
}

/// The settings of requests to a preview service.
package struct RemoteUnfurlerConfiguration: Sendable {
  /// The URL of the service: http or https, without userinfo.
  package var url: String
  /// The `User-Agent` of the gateway.
  package var userAgent = "Parley/1.0"
  /// The largest number of simultaneous questions, each on a connection of its own.
  package var maximumRequests = 64
  /// The largest number of those about one site, so that a slow site does not hold up the others.
  package var maximumRequestsPerSite = 8
  /// The largest number of those for one user, so that no user takes all places.
  package var maximumRequestsPerUser = 16
  /// How many links may wait for their turn, a tenth of them one user's; beyond, a look-up fails at
  /// once.
  package var maximumWaiting = 10_000
  /// The time after the deadline for which the service's own answer is awaited.
  package var grace = Duration.milliseconds(500)
  /// A PEM file with the certificate authorities that are trusted; `nil` for the system's.
  package var certificateAuthorities: String?
  /// When the service counts as not answering.
  package var breaker = CircuitBreaker.Limits()
  /// The clock of ``breaker``, in milliseconds.
  package var now: @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds }
  /// Numbers from 0 to 1 that spread the returns of those who lost the same service.
  package var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

  package init(url: String) { self.url = url }
}
