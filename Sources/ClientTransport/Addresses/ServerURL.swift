internal import Basics

/// The server's address, and the request target.
package struct ServerURL: Sendable, Hashable {
  /// The layer below the WebSocket.
  package enum Security: Sendable, Hashable {
    case plain
    case tls
  }

  package let security: Security
  /// A name or a numeric address.
  package let host: String
  package let port: UInt16
  /// Path and query.
  package let target: String

  /// Parses `ws://host[:port][/path]` or `wss://…`; the path is `/v1/ws` unless given.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  package init(_ url: String) throws(ConnectionPlanError) {
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

  /// Parses `http://host[:port][/path]` or `https://…`, for a request instead of a WebSocket.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  package init(ofRequest url: String) throws(ConnectionPlanError) {
    let parts = try ConnectionURL(url)
    switch parts.scheme {
    case "http": security = .plain
    case "https": security = .tls
    default: throw .invalidConfiguration("the address of a request begins with http:// or https://")
    }
    guard parts.userInfo == nil else {
      throw .invalidConfiguration("the address of a request has a user name")
    }
    host = parts.host
    port = parts.port ?? (security == .tls ? 443 : 80)
    switch parts.target {
    case "": target = "/"
    case let target where target.hasPrefix("?"): self.target = "/" + target
    default: target = parts.target
    }
  }

  /// `host:port`, with an IPv6 address in brackets.
  package var authority: String { "\(bracketedHost):\(port)" }

  /// The value of `Host`, without the scheme's default port (RFC 9110 §7.2).
  package var hostField: String {
    port == (security == .tls ? 443 : 80) ? bracketedHost : authority
  }

  private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}

/// A proxy that connects to other hosts on request (`CONNECT`, RFC 9110 §9.3.6).
package struct ProxyURL: Sendable, Hashable {
  package let host: String
  package let port: UInt16
  /// The value of `Proxy-Authorization`; `nil` if the URL has no user.
  package let authorization: String?
  /// The user of the URL, decoded.
  package let userName: String?
  /// The password of the URL, decoded.
  package let password: String?

  /// Parses `http://[user:password@]host[:port]`; the port is 80 unless given.
  ///
  /// - Throws: ``ConnectionPlanError/invalidConfiguration(_:)``.
  package init(_ url: String) throws(ConnectionPlanError) {
    let parts = try ConnectionURL(url)
    guard parts.scheme == "http" else {
      throw .invalidConfiguration("the proxy's URL begins with http://")
    }
    guard parts.target.isEmpty || parts.target == "/" else {
      throw .invalidConfiguration("the proxy's URL has a path")
    }
    host = parts.host
    port = parts.port ?? 80
    guard let userInfo = parts.userInfo else {
      (authorization, userName, password) = (nil, nil, nil)
      return
    }
    guard let decoded = PercentEncoding.decode(userInfo.utf8), decoded.contains(UInt8(ascii: ":")),
      decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f })
    else {
      throw .invalidConfiguration("the proxy's user name and password can't be read")
    }
    authorization = "Basic " + Base64.encode(decoded)
    let words = decoded.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    userName = String(decoding: words[0], as: UTF8.self)
    password = String(decoding: words[1], as: UTF8.self)
  }
}
