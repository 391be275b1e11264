extension OpenGraphTag {
  /// Bytes of the preview as JSON.
  var byteCount: Int { JSONWriter.bytes { encode(into: &$0) }.count }

  /// The UTF-8 bytes of its texts.
  var textByteCount: Int {
    let image = (image?.url.byteCount ?? 0) + (image?.secureURL.byteCount ?? 0)
    let about = (image == 0 ? 0 : self.image?.type.byteCount ?? 0)
    return title.byteCount + url.byteCount + description.byteCount + image + about
      + (self.image?.alt.byteCount ?? 0)
  }

  /// The preview within a size: its description is cut first, then the image's, and of what is
  /// still too large image and address are left out and the title is cut.
  package func fitted(toBytes limit: Int) -> OpenGraphTag {
    var tag = self
    tag.shorten(\.description, limit)
    if tag.byteCount > limit { tag.image?.alt = nil }
    if tag.byteCount > limit { tag.image = nil }
    if tag.byteCount > limit { tag.url = nil }
    tag.shorten(\.title, limit)
    return tag
  }

  private mutating func shorten(_ member: WritableKeyPath<OpenGraphTag, String?>, _ limit: Int) {
    let excess = byteCount - limit
    guard excess > 0, let text = self[keyPath: member] else { return }
    let shorter = JSONSize.prefix(of: text, within: JSONSize.quoted(text) - excess)
    self[keyPath: member] = shorter.isEmpty ? nil : shorter
  }
}

extension String? {
  fileprivate var byteCount: Int { self?.utf8.count ?? 0 }
}
