import Synchronization

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

  func count(_ finding: PreviewFinding?) {
    switch finding {
    case .fresh(let entry) where entry.tag == nil:
      negativeHits.wrappingAdd(1, ordering: .relaxed)
    case .fresh: hits.wrappingAdd(1, ordering: .relaxed)
    case .stale: staleHits.wrappingAdd(1, ordering: .relaxed)
    case nil: misses.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func count(_ outcome: PreviewFetchOutcome) {
    switch outcome {
    case .found: found.wrappingAdd(1, ordering: .relaxed)
    case .empty: empty.wrappingAdd(1, ordering: .relaxed)
    case .failed: failed.wrappingAdd(1, ordering: .relaxed)
    case .timedOut: timedOut.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func countRefresh() { refreshes.wrappingAdd(1, ordering: .relaxed) }
  func countRefusal() { refused.wrappingAdd(1, ordering: .relaxed) }
  func countRefusalByPolicy() { refusedByPolicy.wrappingAdd(1, ordering: .relaxed) }

  func snapshot(inFlight: Int, _ cache: PreviewCacheFigures) -> PreviewCounters {
    PreviewCounters(
      hits: hits.load(ordering: .relaxed), staleHits: staleHits.load(ordering: .relaxed),
      negativeHits: negativeHits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed),
      refusedByPolicy: refusedByPolicy.load(ordering: .relaxed),
      found: found.load(ordering: .relaxed), empty: empty.load(ordering: .relaxed),
      failed: failed.load(ordering: .relaxed), timedOut: timedOut.load(ordering: .relaxed),
      refreshes: refreshes.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
      inFlight: inFlight, cachedEntries: cache.entryCount, cachedBytes: cache.byteCount,
      fileRows: cache.rowCount, fileBytes: cache.fileByteCount)
  }
}
