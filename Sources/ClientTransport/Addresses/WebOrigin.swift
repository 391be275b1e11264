/// The scheme, host and port that an address belongs to (RFC 6454 §4).
///
/// A WebSocket has the origin of the HTTP that it begins with.
package struct WebOrigin: Sendable, Hashable {
  private let security: ServerURL.Security
  private let host: String
  private let port: UInt16

  private init(_ url: ServerURL) {
    security = url.security
    host = url.host
    port = url.port
  }

  /// The origin of a `ws` or `wss` URL; `nil` when it is none.
  package init?(ofServer url: String) {
    guard let url = try? ServerURL(url) else { return nil }
    self.init(url)
  }

  /// The origin of an `http` or `https` URL; `nil` when it is none, or has a user name.
  package init?(ofRequest url: String) {
    guard let url = try? ServerURL(ofRequest: url) else { return nil }
    self.init(url)
  }
}
