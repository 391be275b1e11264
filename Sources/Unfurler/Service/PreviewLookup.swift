package import ParleyProtocol

/// What is known about a link right now.
package enum PreviewLookup: Sendable, Hashable {
  /// Its preview.
  case found(OpenGraphTag)
  /// It has none, or could not be fetched a short while ago: do not ask.
  case none
  /// Nothing; ask with ``PreviewService/request(_:completion:)``.
  case unknown
}
