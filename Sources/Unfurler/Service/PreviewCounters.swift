/// What a preview service has done so far, and what it holds now.
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
