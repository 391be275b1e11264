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
  /// Requests that were answered at once because too many were waiting.
  package var refused = 0
  /// Links that are being fetched or wait for it.
  package var inFlight = 0
}
