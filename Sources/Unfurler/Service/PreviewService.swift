package import LinkPreview
package import Logging
package import ParleyProtocol
import Synchronization

/// Previews for the gateway: what is known at once, the rest when it has been fetched.
package final class PreviewService: Sendable {
  /// Called on the unfurler's thread at the end of every fetch with how it ended and how long it
  /// took, waiting included.
  package typealias FetchObserver = @Sendable (PreviewFetchOutcome, Duration) -> Void

  private let unfurler: any Unfurler
  private let cache: PreviewCache
  private let timeout: Duration
  private let logger: Logger
  private let observeFetch: FetchObserver
  private let tally = PreviewTally()
  private let flights = Mutex(PreviewFlights())

  /// - Parameters:
  ///   - timeout: How long a fetch may take in all.
  ///   - logger: Told, at debug level, why there is no preview for a link.
  package init(
    unfurler: any Unfurler, cache: PreviewCache, timeout: Duration = .seconds(5), logger: Logger,
    observeFetch: @escaping FetchObserver = { _, _ in }
  ) {
    self.unfurler = unfurler
    self.cache = cache
    self.timeout = timeout
    self.logger = logger
    self.observeFetch = observeFetch
  }

  /// What is known about a link; memory and a short lock only, so any thread may ask.
  package func lookUp(_ link: Link) -> PreviewLookup {
    let lookup: PreviewLookup =
      switch cache.find(link) {
      case .some(let preview): preview.tag.map { .found($0) } ?? .none
      case nil: .unknown
      }
    tally.count(lookup)
    return lookup
  }

  /// Fetches a link's preview, once however many ask meanwhile, and remembers the outcome.
  ///
  /// - Parameter completion: Called exactly once, with `nil` when there is no preview; on a thread
  ///   of the unfurler's or the cache's, or on the caller's when the answer is known at once too
  ///   many are waiting, or the service has been shut down. It must not block.
  package func request(_ link: Link, completion: @escaping @Sendable (OpenGraphTag?) -> Void) {
    switch flights.withLock({ $0.board(link, completion) }) {
    case .closed: completion(nil)
    case .full:
      tally.countRefusal()
      completion(nil)
    case .joined: break
    case .first: begin(link)
    }
  }

  /// Answers everybody who waits with `nil` and fetches nothing more; the cache stays open.
  package func shutdown() {
    let (completions, tasks) = flights.withLock { $0.close() }
    for task in tasks { task.cancel() }
    for completion in completions { completion(nil) }
  }

  /// What has happened so far.
  package var counters: PreviewCounters {
    tally.snapshot(inFlight: flights.withLock { $0.count })
  }

  private func begin(_ link: Link) {
    cache.load(link) { [self] preview in
      if let preview {
        land(link, with: preview.tag)
      } else {
        fetch(link)
      }
    }
  }

  private func fetch(_ link: Link) {
    guard !flights.withLock({ $0.isClosed }) else { return }
    let start = ContinuousClock.now
    let task = unfurler.unfurl(link, deadline: timeout) { [self] report in
      finish(link, report, after: start.duration(to: .now))
    }
    if !flights.withLock({ $0.attach(task, to: link) }) { task.cancel() }
  }

  private func finish(_ link: Link, _ report: UnfurlReport, after duration: Duration) {
    let outcome = PreviewFetchOutcome(report.outcome)
    tally.count(outcome)
    observeFetch(outcome, duration)
    if let problem = report.problem {
      logger.debug("no preview", metadata: ["url": "\(link.url)", "reason": "\(problem)"])
    }
    if report.freshness != .unkept { cache.insert(report.tag, for: link) }
    land(link, with: report.tag)
  }

  private func land(_ link: Link, with tag: OpenGraphTag?) {
    for completion in flights.withLock({ $0.land(link) }) { completion(tag) }
  }
}

extension PreviewFetchOutcome {
  fileprivate init(_ result: Result<OpenGraphTag?, UnfurlError>) {
    self =
      switch result {
      case .success(.some): .found
      case .success(nil): .empty
      case .failure(.timedOut): .timedOut
      case .failure: .failed
      }
  }
}
