package import LinkPreview
import Synchronization

extension PreviewService {
  /// Lists cached entries, from memory and the file, or those of all servers, in the order of the
  /// links.
  ///
  /// - Parameters:
  ///   - cursor: The ``PreviewPage/next`` of the previous page; `nil` for the first.
  ///   - limit: Clamped to 1 to ``PreviewPage/maximumCount``.
  ///   - completion: Called once on the cache's queue, or on a thread of the shared previews with
  ///     `nil` if they cannot be read. It must not block.
  package func entries(
    _ selection: PreviewSelection, after cursor: String?, limit: Int,
    completion: @escaping @Sendable (PreviewPage?) -> Void
  ) {
    if let shared {
      let limit = min(max(1, limit), PreviewPage.maximumCount)
      return shared.entries(selection, after: cursor, limit: limit, completion: completion)
    }
    cache.entries(selection, after: cursor, limit: limit, completion: completion)
  }

  /// Removes links from the cache.
  ///
  /// Fetches of them in progress answer their requests, but are not cached.
  ///
  /// Other servers remove them too.
  ///
  /// - Parameter completion: Called once on the cache's queue with the number of removed links, or
  ///   `nil` if those of other servers cannot be purged. It must not block.
  package func purge(
    _ selection: PreviewSelection, completion: @escaping @Sendable (Int?) -> Void
  ) {
    guard let shared else { return forget(selection, completion: completion) }
    // Memory comes last: before that, it could be filled again from the shared previews.
    shared.purge(selection) { [self] shared in
      forget(selection) { count in completion(shared.map { max($0, count) }) }
    }
  }

  private func forget(
    _ selection: PreviewSelection, completion: @escaping @Sendable (Int) -> Void
  ) {
    discardAnswers(in: CacheScope(selection))
    cache.purge(selection, completion: completion)
  }

  /// Prevents the answers of fetches in progress from being cached.
  func discardAnswers(in scope: CacheScope) {
    flights.withLock { $0.discardAnswers(in: scope) }
    inspections.withLock { $0.discardAnswers(in: scope) }
  }

  /// Fetches a link regardless of the cache, returns the trace, and caches the outcome.
  ///
  /// At most 8 at a time; further ones fail immediately, as do links that the operator refuses.
  ///
  /// - Parameter completion: Called exactly once; on a thread of the unfurler or the cache, or on
  ///   the caller's if nothing is fetched. It must not block.
  package func explain(
    _ link: Link, completion: @escaping @Sendable (PreviewExplanation) -> Void
  ) {
    switch inspections.withLock({ $0.admit(link, completion) }) {
    case .admitted(let id): begin(link, id)
    case .full: completion(.unfetched(link, .refused("too many links are being explained")))
    case .closed: completion(.unfetched(link, .cancelled))
    }
  }

  private func begin(_ link: Link, _ id: UInt64) {
    cache.show(link) { [self] cached in
      guard inspections.withLock({ $0.note(cached, in: id) }) else { return }
      if let reason = refusal(link) {
        inspections.withLock { $0.end(id) }?.answer(.refused(reason), after: .zero)
      } else {
        inspect(link, id)
      }
    }
  }

  private func inspect(_ link: Link, _ id: UInt64) {
    let start = ContinuousClock.now
    let task = unfurler.unfurl(link, for: .operation, deadline: timeout) { [self] report in
      let duration = start.duration(to: .now)
      note(report, of: link, after: duration)
      let (inspection, answer) = inspections.withLock { inspections in
        let inspection = inspections.end(id)
        let isKept = inspection?.disposition == .keep
        return (inspection, isKept ? cache.record(report, for: link) : nil)
      }
      if let entry = answer?.new { shared?.replace(entry) }
      inspection?.answer(report, after: duration)
    }
    if !inspections.withLock({ $0.attach(task, to: id) }) { task.cancel() }
  }
}

extension Inspections.Inspection {
  func answer(_ report: UnfurlReport, after duration: Duration) {
    completion(
      PreviewExplanation(link: link, cached: cached, report: report, duration: duration))
  }
}

extension PreviewExplanation {
  fileprivate static func unfetched(_ link: Link, _ report: UnfurlReport) -> PreviewExplanation {
    PreviewExplanation(link: link, cached: nil, report: report, duration: .zero)
  }
}

extension UnfurlReport {
  fileprivate static func refused(_ reason: String) -> UnfurlReport {
    UnfurlReport(.failure(.failed(reason)), freshness: .unkept)
  }
}

/// The result of fetching a link, with the entry that was cached before.
package struct PreviewExplanation: Sendable {
  package var link: Link
  /// The entry that was cached before.
  package var cached: PreviewEntry?
  /// The trace of the look-up.
  package var report: UnfurlReport
  /// The duration, including waiting.
  package var duration: Duration
}
