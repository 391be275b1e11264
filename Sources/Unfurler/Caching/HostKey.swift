import Bytes
import LinkPreview

/// A host with its labels in reverse and a dot at the end, such as `com.example.www.`: the hosts of
/// a domain are those whose keys begin with the domain's, so they lie side by side in an index.
struct HostKey: Sendable, Hashable {
  let text: String

  /// The host of a link.
  init(_ link: Link) {
    // A link is in normal form, so its host needs to be found, not parsed.
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

  /// A domain or an address as an operator names it; `nil` when it is neither.
  init?(domain: String) {
    guard let url = WebURL("http://\(domain)/"), url.path == "/", url.query == nil,
      url.fragment == nil, url.port == url.scheme.defaultPort
    else { return nil }
    self.init(host: url.host.text[...])
  }

  private init(host: Substring) {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    // No domain name ends in a number, so an address cannot be taken for one. It has no subdomains.
    let isAddress = host.first == "[" || labels.last?.allSatisfy(\.isNumber) == true
    text = isAddress ? "\(host)." : labels.reversed().joined(separator: ".") + "."
  }

  /// The key right behind the last one that this one covers: a slash comes after a dot.
  var upperBound: String { text.dropLast() + "/" }

  /// Whether `other` is the same host or below it.
  func covers(_ other: HostKey) -> Bool { other.text.hasPrefix(text) }
}
