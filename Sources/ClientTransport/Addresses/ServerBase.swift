/// The base URL of a server's HTTP endpoints.
package enum ServerBase {
  /// Returns `https://host:port`, with the path before `/v1/ws`; `nil` if not a `ws` or `wss` URL.
  package static func url(ofServer url: String) -> String? {
    (try? ServerURL(url)).map { self.url(of: $0) }
  }

  /// Returns the base URL of a server.
  package static func url(of server: ServerURL) -> String {
    let path = server.target.prefix { $0 != "?" }
    let scheme = server.security == .tls ? "https" : "http"
    let socketPath = "/v1/ws"
    return "\(scheme)://\(server.authority)"
      + (path.hasSuffix(socketPath) ? path.dropLast(socketPath.count) : "")
  }
}
