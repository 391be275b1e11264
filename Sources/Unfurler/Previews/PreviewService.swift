import Dispatch
package import LinkPreview
package import Logging
package import ParleyProtocol
import Synchronization

/// Looks up link previews: returns cached ones immediately, and fetches others.
package final class PreviewService: Sendable {
  /// Called at the end of every fetch with its outcome and duration, including waiting; on the
  /// unfurler's thread, or on the caller's after a shutdown.
  package typealias FetchObserver = @Sendable (FetchOutcome, Duration) -> Void

  /// Calls back after a delay, on any thread.
  package typealias Timer = @Sendable (Duration, @escaping @Sendable () -> Void) -> Void

  let unfurler: any Unfurler
  let cache: PreviewCache
  let timeout: Duration
  /// The previews of all servers; `nil` on a single server, whose cache has all of them.
  let shared: (any SharedPreviews)?
  package let domains: DomainRules
  let tally = PreviewTally()
  let flights = Mutex(Flights())
  let inspections = Mutex(Inspections())
  let waits = Mutex(SharedWaits())
  private let timer: Timer?
  private let logger: Logger
  private let observeFetch: FetchObserver

  /// - Parameters:
  ///   - timeout: The time limit of a fetch, including waiting.
  ///   - logger: Logs the reason of each missing preview at debug level.
  ///   - domains: The operator's rules, applied to each look-up.
  ///   - shared: The previews of all servers; `nil` if there is one server.
  ///   - timer: Ends waits for other servers; `nil` for the cache's queue.
  package init(
    unfurler: any Unfurler, cache: PreviewCache, timeout: Duration = .seconds(5), logger: Logger,
    domains: DomainRules = DomainRules(), shared: (any SharedPreviews)? = nil,
    timer: Timer? = nil, observeFetch: @escaping FetchObserver = { _, _ in }
  ) {
    self.unfurler = unfurler
    self.cache = cache
    self.timeout = timeout
    self.logger = logger
    self.domains = domains
    self.shared = shared
    self.timer = timer
    self.observeFetch = observeFetch
  }

  /// Looks up a link.
  ///
  /// The operator's rules are applied here, before the cache. An expired preview is still returned
  /// and refreshed in the background. Uses only memory and a short lock, on any thread.
  ///
  /// - Parameter requester: The party for which a refresh is made.
  package func lookUp(_ link: Link, for requester: PreviewRequester) -> LinkKnowledge {
    guard refusal(link) == nil else {
      tally.countRefusalByPolicy()
      return .none
    }
    let hit = cache.find(link)
    tally.count(hit)
    guard let hit else { return .unknown(link) }
    if case .stale(_, .due) = hit { refresh(link, for: requester) }
    return hit.entry.tag.map { .found($0) } ?? .none
  }

  /// Fetches the preview of a link that a look-up did not find, and caches the outcome.
  ///
  /// Concurrent requests for a link share one fetch, which is queued with those of the first
  /// requester.
  ///
  /// - Parameter completion: Called exactly once, with `nil` if there is no preview; on a thread of
  ///   the unfurler or the cache, or on the caller's if the answer is known at once, too many
  ///   requests wait, or the service has been shut down. It must not block.
  package func request(
    _ link: Link, for requester: PreviewRequester,
    completion: @escaping @Sendable (OpenGraphTag?) -> Void
  ) {
    switch flights.withLock({ $0.board(link) { completion($0.tag) } }) {
    case .closed: completion(nil)
    case .full:
      tally.countRefusal()
      completion(nil)
    case .joined: break
    case .first: begin(link, for: requester)
    }
  }

  /// Fetches the first of the links, which a look-up did not find, and looks up the following ones
  /// until there is a preview.
  ///
  /// - Parameter completion: As for ``request(_:for:completion:)``.
  package func request(
    firstOf links: [Link], for requester: PreviewRequester,
    completion: @escaping @Sendable (OpenGraphTag?) -> Void
  ) {
    guard let link = links.first else { return completion(nil) }
    request(link, for: requester) { [self] tag in
      guard tag == nil else { return completion(tag) }
      var rest = links.dropFirst()
      while let next = rest.first {
        switch lookUp(next, for: requester) {
        case .found(let tag): return completion(tag)
        case .unknown:
          return request(firstOf: Array(rest), for: requester, completion: completion)
        case .none, .noLink: rest.removeFirst()
        }
      }
      completion(nil)
    }
  }

  /// Stops fetching, answers waiting requests with `nil`, and writes out the cache.
  package func close() {
    shutdown()
    unfurler.shutdown()
    cache.close()
  }

  /// Cancels all fetches and answers waiting requests with `nil`; the cache stays open.
  func shutdown() {
    let (completions, tasks) = flights.withLock { $0.close() }
    let inspections = inspections.withLock { $0.close() }
    waits.withLock { $0.removeAll() }
    for task in tasks + inspections.compactMap(\.task) { task.cancel() }
    for completion in completions { completion(.cancelled) }
    for inspection in inspections { inspection.answer(.cancelled, after: .zero) }
  }

  /// Whether the preview service responds; `nil` if pages are fetched in this process.
  package var isServiceUp: Bool? { unfurler.isServiceUp }

  /// Reads the opt-out file again.
  ///
  /// - Throws: ``DomainRulesError`` if the file cannot be used; the list is unchanged.
  package func reload() throws(DomainRulesError) { try domains.reload() }

  /// Returns the reason why the operator refuses previews of a link; `nil` if they are allowed.
  func refusal(_ link: Link) -> String? { domains.refusal(of: link.webURL.host) }

  /// The counters so far.
  package var counters: PreviewCounters {
    tally.snapshot(
      inFlight: flights.withLock { $0.count } + inspections.withLock { $0.count }, cache.figures)
  }

  /// Counts and reports a completed fetch.
  func note(_ report: UnfurlReport, of link: Link, after duration: Duration) {
    let outcome = FetchOutcome(report.outcome)
    tally.count(outcome)
    observeFetch(outcome, duration)
    if let problem = report.problem {
      logger.debug("no preview", metadata: ["url": "\(link.url)", "reason": "\(problem)"])
    }
  }

  func begin(_ link: Link, for requester: PreviewRequester) {
    cache.load(link) { [self] hit in
      guard let hit, !(hit.isTimeOut && flights.withLock { $0.isDemanded(link) }) else {
        return start(link, for: requester)
      }
      land(link, with: PreviewOutcome(known: hit.entry))
      if case .stale(_, .due) = hit { refresh(link, for: requester) }
    }
  }

  /// Fetches a link whose expired preview is shown meanwhile, unless a fetch is in progress.
  func refresh(_ link: Link, for requester: PreviewRequester) {
    guard case .first = flights.withLock({ $0.board(link) { _ in } }) else { return }
    tally.countRefresh()
    start(link, for: requester)
  }

  private func start(_ link: Link, for requester: PreviewRequester) {
    if let shared {
      obtain(link, for: requester, from: shared)
    } else {
      fetch(link, for: requester)
    }
  }

  func fetch(_ link: Link, for requester: PreviewRequester) {
    let start = ContinuousClock.now
    let (time, isClosed) = flights.withLock {
      ($0.takeOff(link, usual: timeout, at: start), $0.isClosed)
    }
    guard let time else {
      if !isClosed { share(nil, of: link) }
      return
    }
    let task = unfurler.unfurl(link, for: requester, deadline: time) { [self] report in
      finish(link, report, for: requester, after: start.duration(to: .now))
    }
    if !flights.withLock({ $0.attach(task, to: link) }) { task.cancel() }
  }

  private func finish(
    _ link: Link, _ report: UnfurlReport, for requester: PreviewRequester, after duration: Duration
  ) {
    note(report, of: link, after: duration)
    if report.problemKind == .cancelled, flights.withLock({ $0.wantsAnother(link) }) {
      return fetch(link, for: requester)
    }
    let (answer, completions, isWantedAgain) = flights.withLock { flights in
      // Inside this lock, so that a purge comes entirely before or after.
      let isKept = flights.disposition(of: link) == .keep
      let answer = isKept ? cache.record(report, for: link) : nil
      guard report.problemKind == .timedOut else { return (answer, flights.land(link), false) }
      let (completions, isWantedAgain) = flights.landLate(link)
      return (answer, completions, isWantedAgain)
    }
    share(answer, of: link)
    let outcome = PreviewOutcome(report, shown: answer?.shown)
    for completion in completions { completion(outcome) }
    if isWantedAgain { fetch(link, for: requester) }
  }

  /// Calls back after a delay.
  func after(_ duration: Duration, _ body: @escaping @Sendable () -> Void) {
    if let timer { return timer(duration, body) }
    let milliseconds = Int(duration / .milliseconds(1))
    cache.queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds), execute: body)
  }

  func land(_ link: Link, with outcome: PreviewOutcome) {
    for completion in flights.withLock({ $0.land(link) }) { completion(outcome) }
  }
}

extension FetchOutcome {
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
