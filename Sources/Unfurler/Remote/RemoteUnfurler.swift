package import Basics
import Curl
package import LinkPreview
package import Logging
import Reactor
import Synchronization

/// Queries a preview service over HTTP, on its own thread.
///
/// While the service is down, links are answered immediately with a failure that reports this. Such
/// failures are unrelated to the pages and must not be cached.
package final class RemoteUnfurler: Unfurler {
  private let thread: CurlThread<RemoteLoop.Request>
  private let health: ServiceHealth
  private let lastID = Atomic<UInt64>(0)

  /// Starts the thread; the service itself is first queried for the first link.
  ///
  /// - Throws: ``UnfurlError/failed(_:)`` if the service's URL is invalid, or the thread or libcurl
  ///   cannot be started.
  package init(
    configuration: RemoteUnfurlerConfiguration, logger: Logger
  ) throws(UnfurlError) {
    guard let url = WebURL(configuration.url) else {
      throw .failed("the unfurl service's URL is not an http or https URL without userinfo")
    }
    // Without the query, which may hold a key that must not be logged.
    let shown = String(url.textWithoutFragment.prefix { $0 != "?" })
    let health = ServiceHealth(url: shown, configuration, logger: logger)
    self.health = health
    do throws(CurlError) {
      thread = try CurlThread(
        // Messages have priority: they must not wait for previews.
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

  /// Whether the service responds; a service that is down is only tried occasionally.
  package var isServiceUp: Bool? { !health.isDown }

  /// The state of the service.
  package var serviceState: CircuitBreaker.State { health.state }

  /// Cancels all look-ups and waits for the thread to end; later look-ups are cancelled
  /// immediately, on the caller's thread.
  package func shutdown() { thread.stop() }
}

/// The settings of requests to a preview service.
package struct RemoteUnfurlerConfiguration: Sendable {
  /// The URL of the service: http or https, without userinfo.
  package var url: String
  /// The `User-Agent` of the gateway.
  package var userAgent = "Parley/1.0"
  /// The maximum number of simultaneous queries, each on its own connection.
  package var maximumRequests = 64
  /// The maximum number of queries about one site, so that a slow site does not delay the others.
  package var maximumRequestsPerSite = 8
  /// The maximum number of queries for one user, so that no user takes all places.
  package var maximumRequestsPerUser = 16
  /// The maximum number of waiting links, a tenth of them for one user; beyond it, a look-up fails
  /// immediately.
  package var maximumWaiting = 10_000
  /// The time after the deadline for which the client waits for the service's own answer.
  package var grace = Duration.milliseconds(500)
  /// A PEM file with the trusted certificate authorities; `nil` for the system's.
  package var certificateAuthorities: String?
  /// The limits after which the service counts as down.
  package var breaker = CircuitBreaker.Limits()
  /// The clock of ``breaker``, in milliseconds.
  package var now: @Sendable () -> Int64 = { SystemClock.monotonicMilliseconds }
  /// Random numbers from 0 to 1 that spread the retries of clients of the same service.
  package var jitter: @Sendable () -> Double = { Double.random(in: 0...1) }

  package init(url: String) { self.url = url }
}
