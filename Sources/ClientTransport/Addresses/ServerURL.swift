/// The server's address, and the target of the request.
struct ServerURL: Sendable, Hashable {
  /// The layer below the WebSocket.
  enum Security: Sendable, Hashable {
    case plain
    case tls
  }

  let security: Security
  /// A name or a numeric address.
  let host: String
  let port: UInt16
  /// Path and query.
  let target: String

  /// Reads `ws://host[:port][/path]` or `wss://…`; the path is `/v1/ws` unless given.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  init(_ url: String) throws(ConnectionPlanError) {
    let parts = try ConnectionURL(url)
    switch parts.scheme {
    case "ws": security = .plain
    case "wss": security = .tls
    default:
      throw .invalidConfiguration("the server's URL begins with ws:// or wss://")
    }
    guard parts.userInfo == nil else {
      throw .invalidConfiguration("the server's URL has a user name: pass a token instead")
    }
    host = parts.host
    port = parts.port ?? (security == .tls ? 443 : 80)
    switch parts.target {
    case "", "/": target = "/v1/ws"
    case let target where target.hasPrefix("?"): self.target = "/v1/ws" + target
    default: target = parts.target
    }
  }

  /// `host:port`, an IPv6 address in brackets.
  var authority: String { "\(bracketedHost):\(port)" }

  /// The value of `Host`: the port is left out when it is the scheme's own (RFC 9110 §7.2).
  var hostField: String {
    port == (security == .tls ? 443 : 80) ? bracketedHost : authority
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}
