package import LinkPreview
package import Logging
package import ParleyProtocol
import Synchronization

/// Previews for the gateway: what is known at once, the rest when it has been fetched.
package final class PreviewService: Sendable {
  /// Called at the end of every fetch with how it ended and how long it took, waiting included; on
  /// the unfurler's thread, or on the asker's when nothing is fetched any more.
  package typealias FetchObserver = @Sendable (PreviewFetchOutcome, Duration) -> Void

  /// Says in words why a link is to have no preview; `nil` when it may have one.
  package typealias Refusal = @Sendable (Link) -> String?

  let unfurler: any Unfurler
  let cache: PreviewCache
  let timeout: Duration
  let refusal: Refusal
  let tally = PreviewTally()
  let flights = Mutex(PreviewFlights())
  let inspections = Mutex(PreviewInspections())
  private let logger: Logger
  private let observeFetch: FetchObserver

  /// - Parameters:
  ///   - timeout: How long a fetch may take in all.
  ///   - logger: Told, at debug level, why there is no preview for a link.
  ///   - refusal: Asked before anything else, on the caller's thread, so it has to be quick.
  package init(
    unfurler: any Unfurler, cache: PreviewCache, timeout: Duration = .seconds(5), logger: Logger,
    refusal: @escaping Refusal = { _ in nil },
    observeFetch: @escaping FetchObserver = { _, _ in }
  ) {
    self.unfurler = unfurler
    self.cache = cache
    self.timeout = timeout
    self.logger = logger
    self.refusal = refusal
    self.observeFetch = observeFetch
  }

  /// What is known about a link; memory and a short lock only, so any thread may ask.
  ///
  /// A preview past its time is still given, and refreshed behind the caller's back.
  ///
  /// - Parameter requester: The party for which a refresh is made.
  package func lookUp(_ link: Link, for requester: PreviewRequester) -> PreviewLookup {
    if refusal(link) != nil {
      tally.countRefusalByPolicy()
      return .none
    }
    let finding = cache.find(link)
    tally.count(finding)
    guard let finding else { return .unknown }
    if case .stale(_, .due) = finding { refresh(link, for: requester) }
    return finding.entry.tag.map { .found($0) } ?? .none
  }

  /// Fetches a link's preview, once however many ask meanwhile, and remembers the outcome.
  ///
  /// The fetch takes its turn among those of the first requester.
  ///
  /// - Parameter completion: Called exactly once, with `nil` when there is no preview; on a thread
  ///   of the unfurler's or the cache's, or on the caller's when the answer is known at once, too
  ///   many are waiting, the link is refused, or the service has been shut down. It must not block.
  package func request(
    _ link: Link, for requester: PreviewRequester,
    completion: @escaping @Sendable (OpenGraphTag?) -> Void
  ) {
    if refusal(link) != nil {
      tally.countRefusalByPolicy()
      return completion(nil)
    }
    switch flights.withLock({ $0.board(link, completion) }) {
    case .closed: completion(nil)
    case .full:
      tally.countRefusal()
      completion(nil)
    case .joined: break
    case .first: begin(link, for: requester)
    }
  }

  /// Answers everybody who waits with `nil` and fetches nothing more; the cache stays open.
  package func shutdown() {
    let (completions, tasks) = flights.withLock { $0.close() }
    let inspections = inspections.withLock { $0.close() }
    for task in tasks + inspections.compactMap(\.task) { task.cancel() }
    for completion in completions { completion(nil) }
    for inspection in inspections { inspection.answer(.cancelled, after: .zero) }
  }

  /// What has happened so far.
  package var counters: PreviewCounters {
    tally.snapshot(
      inFlight: flights.withLock { $0.count } + inspections.withLock { $0.count }, cache.figures)
  }

  /// Counts a fetch that has ended, and tells those who want to know.
  func note(_ report: UnfurlReport, of link: Link, after duration: Duration) {
    let outcome = PreviewFetchOutcome(report.outcome)
    tally.count(outcome)
    observeFetch(outcome, duration)
    if let problem = report.problem {
      logger.debug("no preview", metadata: ["url": "\(link.url)", "reason": "\(problem)"])
    }
  }

  private func begin(_ link: Link, for requester: PreviewRequester) {
    cache.load(link) { [self] finding in
      guard let finding else { return fetch(link, for: requester) }
      land(link, with: finding.entry.tag)
      if case .stale(_, .due) = finding { refresh(link, for: requester) }
    }
  }

  /// Fetches a link that is shown meanwhile, unless it is being fetched already.
  private func refresh(_ link: Link, for requester: PreviewRequester) {
    guard case .first = flights.withLock({ $0.board(link) { _ in } }) else { return }
    tally.countRefresh()
    fetch(link, for: requester)
  }

  private func fetch(_ link: Link, for requester: PreviewRequester) {
    guard !flights.withLock({ $0.isClosed }) else { return }
    let start = ContinuousClock.now
    let task = unfurler.unfurl(link, for: requester, deadline: timeout) { [self] report in
      finish(link, report, after: start.duration(to: .now))
    }
    if !flights.withLock({ $0.attach(task, to: link) }) { task.cancel() }
  }

  private func finish(_ link: Link, _ report: UnfurlReport, after duration: Duration) {
    note(report, of: link, after: duration)
    let (tag, completions) = flights.withLock { flights in
      // Under this lock, so that a purge comes before or after the whole of it.
      let isKept = flights.disposition(of: link) == .keep
      let known = isKept ? cache.insert(report: report, for: link) : nil
      return (report.tag ?? known?.tag, flights.land(link))
    }
    for completion in completions { completion(tag) }
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
