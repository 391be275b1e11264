import Synchronization

/// The counters behind ``PreviewCounters``, counted from any thread without a lock.
final class PreviewTally: Sendable {
  private let hits = Atomic<Int>(0)
  private let negativeHits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  private let found = Atomic<Int>(0)
  private let empty = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let timedOut = Atomic<Int>(0)
  private let refused = Atomic<Int>(0)

  func count(_ lookup: PreviewLookup) {
    switch lookup {
    case .found: hits.wrappingAdd(1, ordering: .relaxed)
    case .none: negativeHits.wrappingAdd(1, ordering: .relaxed)
    case .unknown: misses.wrappingAdd(1, ordering: .relaxed)
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

  func countRefusal() { refused.wrappingAdd(1, ordering: .relaxed) }

  func snapshot(inFlight: Int) -> PreviewCounters {
    PreviewCounters(
      hits: hits.load(ordering: .relaxed), negativeHits: negativeHits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed), found: found.load(ordering: .relaxed),
      empty: empty.load(ordering: .relaxed), failed: failed.load(ordering: .relaxed),
      timedOut: timedOut.load(ordering: .relaxed), refused: refused.load(ordering: .relaxed),
      inFlight: inFlight)
  }
}
