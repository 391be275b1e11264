/// The scheme, host and port of a URL (RFC 6454 §4).
///
/// A WebSocket has the origin of its opening HTTP request.
package struct WebOrigin: Sendable, Hashable {
  private let security: ServerURL.Security
  private let host: String
  private let port: UInt16

  private init(_ url: ServerURL) {
    security = url.security
    host = url.host
    port = url.port
  }

  /// The origin of a `ws` or `wss` URL; `nil` if it is not one.
  package init?(ofServer url: String) {
    guard let url = try? ServerURL(url) else { return nil }
    self.init(url)
  }

  /// The origin of an `http` or `https` URL; `nil` if it is not one, or has a user name.
  package init?(ofRequest url: String) {
    guard let url = try? ServerURL(ofRequest: url) else { return nil }
    self.init(url)
  }
}
