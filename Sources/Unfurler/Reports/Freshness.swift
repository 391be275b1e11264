/// How long an answer about a page may be kept.
package enum Freshness: Sendable, Hashable {
  /// Nobody said: as long as the cache likes.
  case unspecified
  /// So long, as the page's server says (RFC 9111 §4.2.1); 0 when it wants to be asked each time.
  case seconds(Int64)
  /// Not at all: the answer says nothing about the page.
  case unkept
}
