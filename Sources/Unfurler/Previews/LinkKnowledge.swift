package import LinkPreview
package import ParleyProtocol

/// The knowledge about the link of a text.
package enum LinkKnowledge: Sendable, Hashable {
  /// The text has no link.
  case noLink
  /// There is no preview: the operator refuses the link, its page has none, or a recent fetch failed.
  case none
  /// The preview is known.
  case found(OpenGraphTag)
  /// Nothing is known; ``PreviewService/request(_:for:completion:)`` fetches the link.
  case unknown(Link, requester: PreviewRequester)

  /// The preview, if it is known.
  package var tag: OpenGraphTag? {
    if case .found(let tag) = self { tag } else { nil }
  }
}

/// The party for which a link is fetched; parties take turns.
package enum PreviewRequester: Sendable, Hashable {
  /// The author of a message, by user id.
  case user(String)
  /// The operator of the deployment, and programs that act for the operator: without limit.
  case operation
}
