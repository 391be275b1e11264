package import ParleyProtocol

/// The knowledge about the link of a text before its page is fetched.
package enum LinkKnowledge: Sendable, Hashable {
  /// The text has no link that could have a preview.
  case noLink
  /// There is no preview: the operator refuses the link, its page has none, or a recent fetch failed.
  case none
  case found(OpenGraphTag)
  /// The page has to be fetched.
  case unknown(Link)

  /// The preview, if it is known.
  package var tag: OpenGraphTag? {
    if case .found(let tag) = self { tag } else { nil }
  }
}
