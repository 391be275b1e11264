import Basics

extension WebURL {
  /// A URL in any notation that a browser accepts, resolved against `base` when it is relative.
  ///
  /// White space around it, and tabs and line breaks inside, are dropped; a backslash counts as a
  /// slash. `nil` for other schemes, userinfo, other control characters, hosts that are no hosts,
  /// and URLs longer than ``maximumLength``.
  package init?(_ text: String, relativeTo base: WebURL? = nil) {
    self.init(bytes: Array(text.utf8), relativeTo: base)
  }

  private init?(bytes: [UInt8], relativeTo base: WebURL?) {
    guard bytes.count <= 4 * Self.maximumLength else { return nil }
    let clean = bytes.trimmingASCIIWhitespace().filter { $0 != 0x09 && $0 != 0x0a && $0 != 0x0d }
    guard !clean.contains(where: { $0 < 0x20 || $0 == 0x7f }) else { return nil }
    let (reference, fragment) = clean[...].cut(at: UInt8(ascii: "#"))
    guard let parts = URLReference(reference, relativeTo: base),
      let authority = URLAuthority(parts.authority, scheme: parts.scheme)
    else { return nil }
    self.init(
      scheme: parts.scheme, host: authority.host, port: authority.port,
      path: URLPath.normalize(parts.path),
      query: parts.query.map { PercentEncoding.encode($0, keeping: .query) },
      fragment: fragment.map { PercentEncoding.encode($0, keeping: .fragment) })
    guard self.text.utf8.count <= Self.maximumLength else { return nil }
  }
}

extension ArraySlice where Element == UInt8 {
  /// Returns the parts before and after the first `separator`.
  func cut(at separator: UInt8) -> (ArraySlice, ArraySlice?) {
    guard let index = firstIndex(of: separator) else { return (self, nil) }
    return (self[..<index], self[(index + 1)...])
  }
}
