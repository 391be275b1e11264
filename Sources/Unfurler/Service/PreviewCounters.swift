import Synchronization

/// What a preview service has done so far.
package struct PreviewCounters: Sendable, Hashable {
  /// Look-ups that found a preview.
  package var hits = 0
  /// Look-ups that found that there is none.
  package var negativeHits = 0
  /// Look-ups that found nothing.
  package var misses = 0
  /// Fetches that ended with a preview.
  package var found = 0
  /// Fetches of pages without a preview.
  package var empty = 0
  /// Fetches that went wrong, by cancellation too.
  package var failed = 0
  /// Fetches whose time ran out.
  package var timedOut = 0
  /// Links that are being fetched or wait for it.
  package var inFlight = 0
}

/// How a fetch ended.
package enum PreviewFetchOutcome: String, Sendable, CaseIterable {
  case found, empty, failed
  case timedOut = "timed_out"
}

/// The counters behind ``PreviewCounters``, counted from any thread without a lock.
final class PreviewTally: Sendable {
  private let hits = Atomic<Int>(0)
  private let negativeHits = Atomic<Int>(0)
  private let misses = Atomic<Int>(0)
  private let found = Atomic<Int>(0)
  private let empty = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let timedOut = Atomic<Int>(0)

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

  func snapshot(inFlight: Int) -> PreviewCounters {
    PreviewCounters(
      hits: hits.load(ordering: .relaxed), negativeHits: negativeHits.load(ordering: .relaxed),
      misses: misses.load(ordering: .relaxed), found: found.load(ordering: .relaxed),
      empty: empty.load(ordering: .relaxed), failed: failed.load(ordering: .relaxed),
      timedOut: timedOut.load(ordering: .relaxed), inFlight: inFlight)
  }
}
