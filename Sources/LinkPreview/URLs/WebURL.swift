package import Basics

/// An absolute http or https URL in normalized form (WHATWG URL §4).
///
/// Scheme and host are in lower case, the host is ASCII, the default port is omitted, dot segments
/// are removed, and characters not allowed in URLs are percent-encoded. There are no credentials: a
/// URL with userinfo is rejected.
package struct WebURL: Sendable, Hashable {
  /// The two schemes of the web.
  package enum Scheme: String, Sendable, Hashable {
    case http, https

    /// 80 or 443.
    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  package let scheme: Scheme
  package let host: Host
  /// The port to connect to; the scheme's default if the URL has none.
  package let port: UInt16
  /// The path, which starts with a slash.
  package let path: String
  /// The part after the question mark.
  package let query: String?
  /// The part after the number sign, which is not sent to the server.
  package let fragment: String?

  /// The maximum length of a URL, in bytes of its normalized form.
  package static let maximumLength = 2_048

  /// The URL as text.
  package var text: String {
    fragment.map { "\(textWithoutFragment)#\($0)" } ?? textWithoutFragment
  }

  /// The URL as text, without its fragment: used for fetching and for identifying a page.
  package var textWithoutFragment: String {
    let origin = "\(scheme.rawValue)://\(host.text)"
    let authority = port == scheme.defaultPort ? origin : "\(origin):\(port)"
    return query.map { "\(authority)\(path)?\($0)" } ?? authority + path
  }
}

extension WebURL {
  /// Parses a URL in any notation that a browser accepts, resolved against `base` if it is relative.
  ///
  /// White space around it, and tabs and line breaks inside, are removed; a backslash counts as a
  /// slash. `nil` for other schemes, userinfo, other control characters, invalid hosts, and URLs
  /// longer than ``maximumLength``.
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

extension WebURL {
  /// Identifies the party that serves the URL, as far as names and addresses show: the registrable
  /// domain, so that wildcard names are one site; an IPv4 address; the /64 of an IPv6 address.
  package var siteKey: String { host.siteKey }
}

extension Host {
  /// The same as ``WebURL/siteKey``.
  package var siteKey: String {
    switch self {
    case .name(let name): DomainName.registrable(name) ?? name
    case .address(.v4): text
    case .address(.v6(let bits)): "[\(IPAddress.v6((bits >> 64) << 64))]/64"
    }
  }
}
