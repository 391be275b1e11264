import Synchronization

/// The counters and gauges of a preview service.
package struct PreviewCounters: Sendable, Hashable {
  /// Look-ups that found a preview that is still good.
  package var hits = 0
  /// Look-ups that found a preview past its time, which was shown all the same.
  package var staleHits = 0
  /// Look-ups that found that there is none.
  package var negativeHits = 0
  /// Look-ups that found nothing.
  package var misses = 0
  /// Look-ups and requests of links that the operator does not want previews of.
  package var refusedByPolicy = 0
  /// Fetches that ended with a preview.
  package var found = 0
  /// Fetches of pages without a preview.
  package var empty = 0
  /// Fetches that went wrong, by cancellation too.
  package var failed = 0
  /// Fetches whose time ran out.
  package var timedOut = 0
  /// Fetches that were begun because a preview was past its time.
  package var refreshes = 0
  /// Requests that were answered at once because too many were waiting.
  package var refused = 0
  /// Requests outside of messages that were answered.
  package var demands: [PreviewDemandResult: Int] = [:]
  /// Links that are being fetched or wait for it.
  package var inFlight = 0
  /// Links that memory knows.
  package var cachedEntries = 0
  /// Bytes of them, about.
  package var cachedBytes = 0
  /// Links that the file knows; 0 without one.
  package var fileRows = 0
  /// Bytes of the file, without its write-ahead log.
  package var fileBytes = 0
}

/// The counters behind ``PreviewCounters``, counted from any thread without a lock.
final class PreviewTally: Sendable {
  private let hits = Atomic<Int>(0)
  private let staleHits = Atomic<Int>(0)
  private let negativeHits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  private let refusedByPolicy = Atomic<Int>(0)
  private let found = Atomic<Int>(0)
  private let empty = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let timedOut = Atomic<Int>(0)
  private let refreshes = Atomic<Int>(0)
  private let refused = Atomic<Int>(0)
  private let demands = Mutex<[PreviewDemandResult: Int]>([:])

  func count(_ finding: CacheHit?) {
    switch finding {
    case .fresh(let entry) where entry.tag == nil:
      negativeHits.wrappingAdd(1, ordering: .relaxed)
    case .fresh: hits.wrappingAdd(1, ordering: .relaxed)
    case .stale: staleHits.wrappingAdd(1, ordering: .relaxed)
    case nil: misses.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func count(_ outcome: FetchOutcome) {
    switch outcome {
    case .found: found.wrappingAdd(1, ordering: .relaxed)
    case .empty: empty.wrappingAdd(1, ordering: .relaxed)
    case .failed: failed.wrappingAdd(1, ordering: .relaxed)
    case .timedOut: timedOut.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func countRefresh() { refreshes.wrappingAdd(1, ordering: .relaxed) }
  func count(_ result: PreviewDemandResult) { demands.withLock { $0[result, default: 0] += 1 } }
  func countRefusal() { refused.wrappingAdd(1, ordering: .relaxed) }
  func countRefusalByPolicy() { refusedByPolicy.wrappingAdd(1, ordering: .relaxed) }

  func snapshot(inFlight: Int, _ cache: CacheFigures) -> PreviewCounters {
    PreviewCounters(
      hits: hits.load(ordering: .relaxed), staleHits: staleHits.load(ordering: .relaxed),
      negativeHits: negativeHits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed),
      refusedByPolicy: refusedByPolicy.load(ordering: .relaxed),
      found: found.load(ordering: .relaxed), empty: empty.load(ordering: .relaxed),
      failed: failed.load(ordering: .relaxed), timedOut: timedOut.load(ordering: .relaxed),
      refreshes: refreshes.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
      demands: demands.withLock { $0 }, inFlight: inFlight, cachedEntries: cache.entryCount,
      cachedBytes: cache.byteCount,
      fileRows: cache.rowCount, fileBytes: cache.fileByteCount)
  }
}

/// The answer to a request outside of messages.
package enum PreviewDemandResult: String, Sendable, CaseIterable {
  /// Any answer that was known before.
  case cached
  case found, empty, cancelled, failed
  case timedOut = "timed_out"
  case unknown

  init(_ outcome: PreviewOutcome) {
    if outcome.isCached {
      self = .cached
    } else {
      self =
        switch outcome.problem?.kind {
        case nil: outcome.tag == nil ? .empty : .found
        case .cancelled: .cancelled
        case .failed: .failed
        case .timedOut: .timedOut
        case .unknown: .unknown
        }
    }
  }
}

/// The outcome of a fetch.
package enum FetchOutcome: String, Sendable, CaseIterable {
  case found, empty, failed
  case timedOut = "timed_out"
}
