import ParleyProtocol

/// What is known about a link, and for how long.
struct CachedPreview: Sendable, Hashable {
  /// The page's preview; `nil` remembers that it has none, or could not be fetched.
  let tag: OpenGraphTag?
  /// Unix milliseconds; from then on it counts as unknown.
  let expiresAt: Int64

  /// About how much memory it takes with its link.
  func byteCount(of url: String) -> Int {
    let image = tag?.image
    let texts = [
      tag?.title, tag?.url, tag?.description, image?.url, image?.secureURL, image?.type, image?.alt,
    ]
    return 256 + url.utf8.count + texts.reduce(0) { $0 + ($1?.utf8.count ?? 0) }
  }
}
