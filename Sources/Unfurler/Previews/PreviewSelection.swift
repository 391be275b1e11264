import Basics
package import LinkPreview

/// A selection of cached previews by an operator.
package enum PreviewSelection: Sendable, Hashable {
  case all
  case link(Link)
  /// The links of a host and of all its subdomains, with any port; text that is not a host selects
  /// nothing.
  case domain(String)
}

/// A selection with a parsed domain.
enum CacheScope: Sendable {
  case everything
  case link(Link)
  case hosts(HostKey)
  case nothing

  init(_ selection: PreviewSelection) {
    switch selection {
    case .all: self = .everything
    case .link(let link): self = .link(link)
    case .domain(let name): self = HostKey(domain: name).map { .hosts($0) } ?? .nothing
    }
  }

  func covers(_ link: Link) -> Bool {
    switch self {
    case .everything: true
    case .link(let selected): selected == link
    case .hosts(let key): key.covers(HostKey(link))
    case .nothing: false
    }
  }
}

/// A host with its labels reversed and a dot at the end, such as `com.example.www.`: the keys of a
/// domain's hosts start with the domain's key, so they are adjacent in an index.
package struct HostKey: Sendable, Hashable {
  package let text: String

  /// The host of a link.
  package init(_ link: Link) {
    // A link is normalized, so its host needs to be found, not parsed.
    let afterScheme = link.url.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2)
    let authority = afterScheme.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    let end =
      if authority.first == UInt8(ascii: "[") {
        authority.firstIndex(of: UInt8(ascii: "]")).map(authority.index(after:))
      } else {
        authority.firstIndex(of: UInt8(ascii: ":"))
      }
    self.init(host: Substring(authority[..<(end ?? authority.endIndex)]))
  }

  /// Parses a domain or an address as written by an operator; `nil` if it is neither.
  package init?(domain: String) {
    guard let url = WebURL("http://\(domain)/"), url.path == "/", url.query == nil,
      url.fragment == nil, url.port == url.scheme.defaultPort
    else { return nil }
    self.init(host: url.host.text[...])
  }

  private init(host: Substring) {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    // No domain name ends in a number, so an address is not mistaken for one. It has no subdomains.
    let isAddress = host.first == "[" || labels.last?.allSatisfy(\.isNumber) == true
    text = isAddress ? "\(host)." : labels.reversed().joined(separator: ".") + "."
  }

  /// The key right after the last one that this key covers: a slash follows a dot.
  package var upperBound: String { text.dropLast() + "/" }

  /// Returns whether `other` is the same host or a subdomain.
  func covers(_ other: HostKey) -> Bool { other.text.hasPrefix(text) }
}

/// The party for which a link is fetched; fetches are scheduled round-robin over parties.
package enum PreviewRequester: Sendable, Hashable {
  /// The author of a message, by user id.
  case user(String)
  /// A client without a session, by the network of its address.
  case visitor(String)
  /// The operator of the deployment, and programs that act for the operator: unlimited.
  case operation
}
