import Synchronization

/// The counters and gauges of a preview service.
package struct PreviewCounters: Sendable, Hashable {
  /// Look-ups that found a fresh preview.
  package var hits = 0
  /// Look-ups that found an expired preview, which was still shown.
  package var staleHits = 0
  /// Look-ups that found a negative result.
  package var negativeHits = 0
  /// Look-ups that found nothing.
  package var misses = 0
  /// Look-ups and requests of links that the operator's rules refuse.
  package var refusedByPolicy = 0
  /// Fetches that ended with a preview.
  package var found = 0
  /// Fetches of pages without a preview.
  package var empty = 0
  /// Fetches that failed, including cancelled ones.
  package var failed = 0
  /// Fetches that timed out.
  package var timedOut = 0
  /// Fetches started to refresh an expired preview.
  package var refreshes = 0
  /// Requests answered at once because too many were waiting.
  package var refused = 0
  /// Answered requests outside of messages.
  package var demands: [PreviewDemandResult: Int] = [:]
  /// Links being fetched or waiting for a fetch.
  package var inFlight = 0
  /// Links in memory.
  package var cachedEntries = 0
  /// The approximate size of links in memory, in bytes.
  package var cachedBytes = 0
  /// Links in the file; 0 without a file.
  package var fileRows = 0
  /// Bytes of the file, without its write-ahead log.
  package var fileBytes = 0
}

/// The counters for ``PreviewCounters``, updated from any thread without a lock.
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
  /// Any cached answer.
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
