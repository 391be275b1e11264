package import Basics

/// An absolute http or https URL in its normal form (WHATWG URL §4).
///
/// Scheme and host are lower case, the host ASCII, the default port left out, dot segments gone,
/// and whatever may not stand in a URL percent-encoded. There are no credentials: a URL with
/// userinfo is refused.
package struct WebURL: Sendable, Hashable {
  /// The two schemes of the web.
  package enum Scheme: String, Sendable, Hashable {
    case http, https

    /// 80 or 443.
    package var defaultPort: UInt16 { self == .http ? 80 : 443 }
  }

  package let scheme: Scheme
  package let host: Host
  /// The port to connect to, the scheme's default when the URL names none.
  package let port: UInt16
  /// Begins with a slash.
  package let path: String
  /// The part after the question mark.
  package let query: String?
  /// The part after the number sign, which is not sent to the server.
  package let fragment: String?

  /// The longest URL that is accepted, in bytes of its normal form.
  package static let maximumLength = 2_048

  /// The URL as text.
  package var text: String {
    fragment.map { "\(textWithoutFragment)#\($0)" } ?? textWithoutFragment
  }

  /// The URL as text, without its fragment: what is fetched, and what identifies a page.
  package var textWithoutFragment: String {
    let origin = "\(scheme.rawValue)://\(host.text)"
    let authority = port == scheme.defaultPort ? origin : "\(origin):\(port)"
    return query.map { "\(authority)\(path)?\($0)" } ?? authority + path
  }
}
