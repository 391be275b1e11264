internal import Foundation

/// Where a gateway is: one address for its HTTP side and its WebSocket side.
struct ServerAddress: Equatable {
  /// Whether what is sent can be read on the way.
  enum Security {
    case plain
    case tls
  }

  private static let schemes = ["http": "ws", "https": "wss", "ws": "ws", "wss": "wss"]

  /// The base of the HTTP side, without a slash at its end.
  let httpBase: String
  /// The address for sessions, with its path.
  let webSocketURL: String
  /// The host in lower case, an IPv6 address without its brackets.
  let host: String
  let port: Int
  let security: Security

  /// Takes `http`, `https`, `ws` and `wss` addresses; `nil` for anything else.
  init?(_ text: String) {
    guard var url = URLComponents(string: text), let host = url.host, !host.isEmpty,
      url.user == nil, url.query == nil, url.fragment == nil,
      let scheme = url.scheme?.lowercased(), let webSocketScheme = Self.schemes[scheme]
    else { return nil }
    while url.path.hasSuffix("/") { url.path.removeLast() }
    security = webSocketScheme == "wss" ? .tls : .plain
    url.scheme = security == .tls ? "https" : "http"
    guard let base = url.string else { return nil }
    url.scheme = webSocketScheme
    url.path += "/v1/ws"
    guard let session = url.string else { return nil }
    httpBase = base
    webSocketURL = session
    self.host = host.lowercased().trimmingCharacters(in: ["[", "]"])
    port = url.port ?? (security == .tls ? 443 : 80)
  }
}
