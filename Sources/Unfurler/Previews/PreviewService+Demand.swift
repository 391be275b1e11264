package import LinkPreview
import Synchronization

/// Requests for previews outside of messages.
extension PreviewService {
  /// Looks up a link in memory and in the file.
  ///
  /// A cached time-out is ignored: the caller may have more time.
  ///
  /// - Parameter completion: Called once with the outcome, or with `nil` if the page must be
  ///   fetched; on the caller's thread or on the cache's queue. It must not block.
  package func recall(
    _ link: Link, for requester: PreviewRequester,
    completion: @escaping @Sendable (PreviewOutcome?) -> Void
  ) {
    if let reason = refusal(link) {
      tally.countRefusalByPolicy()
      return completion(PreviewOutcome.failure(.failed, reason))
    }
    cache.load(link) { [self] hit in
      tally.count(hit)
      guard let hit, !hit.isTimeOut else { return completion(nil) }
      if case .stale(_, .due) = hit { refresh(link, for: requester) }
      completion(PreviewOutcome(known: hit.entry))
    }
  }

  /// Fetches the preview of a link that is not cached.
  ///
  /// The fetch and its outcome are shared with all requests for the link. When the last request of
  /// this kind leaves, and no message waits, the fetch is cancelled.
  ///
  /// - Parameters:
  ///   - timeout: The time after which the request ends; the fetch continues for other requests.
  ///   - completion: Called exactly once, on any thread; on the caller's if the answer is known
  ///     immediately. It must not block.
  package func demand(
    _ link: Link, for requester: PreviewRequester, within timeout: Duration,
    completion: @escaping @Sendable (PreviewOutcome) -> Void
  ) -> PreviewDemand {
    if let reason = refusal(link) {
      tally.countRefusalByPolicy()
      completion(.failure(.failed, reason))
      return PreviewDemand {}
    }
    let (number, boarding) = flights.withLock {
      $0.board(link, until: .now + timeout, completion)
    }
    let demand = PreviewDemand { [weak self] in self?.leave(link, number, with: .cancelled) }
    switch boarding {
    case .closed: completion(.cancelled)
    case .full:
      tally.countRefusal()
      completion(.tooMany)
    case .joined: leave(link, number, after: timeout)
    case .first:
      leave(link, number, after: timeout)
      begin(link, for: requester)
    }
    return demand
  }

  /// Counts the answer to a request.
  package func countDemand(_ outcome: PreviewOutcome) { tally.count(PreviewDemandResult(outcome)) }

  private func leave(_ link: Link, _ number: UInt64, after timeout: Duration) {
    let milliseconds = Int64(timeout / .milliseconds(1))
    after(timeout) { [weak self] in
      self?.leave(
        link, number, with: .failure(.timedOut, "no answer within \(milliseconds) ms"))
    }
  }

  /// Completes a request that ends before its fetch.
  private func leave(_ link: Link, _ number: UInt64, with outcome: PreviewOutcome) {
    guard let left = flights.withLock({ $0.leave(link, number) }) else { return }
    left.completion(outcome)
    left.task?.cancel()
  }
}

/// A request for a preview that can be cancelled.
package struct PreviewDemand: Sendable {
  private let onCancel: @Sendable () -> Void

  init(onCancel: @escaping @Sendable () -> Void) { self.onCancel = onCancel }

  /// Completes the request with ``UnfurlError/Kind/cancelled``, unless it is complete; on any thread.
  package func cancel() { onCancel() }
}

extension PreviewOutcome {
  static let tooMany = failure(.failed, "too many links are waiting")
}

extension CacheHit {
  /// Whether the cached fetch timed out.
  var isTimeOut: Bool { entry.problemKind == .timedOut }
}
