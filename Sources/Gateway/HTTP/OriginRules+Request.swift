import HTTP1
import Transport

extension OriginRules {
  /// As much of a request as the rules look at.
  struct Request: Sendable {
    enum Kind: Sendable {
      /// To become a WebSocket.
      case upgrade
      /// For what pages of any origin may have: files of messages, which are found by who knows
      /// their address only, and the descriptions of the interfaces.
      case shared
      case other
    }

    var kind = Kind.other
    /// The values of `Origin`; one or none unless something is wrong.
    var origins: [String] = []
    /// `Host` as sent.
    var host = ""
    var authority: HTTPAuthority?
    /// The hosts and the scheme by which clients reach the trusted proxies.
    var sites = ForwardedSites()
    var isEncrypted = false
    /// Whether it came to a listener that answers only by names of this machine.
    var isLoopback = false
  }
}

extension OriginRules.Request {
  init(_ exchange: Exchange, _ access: Routes.Access, isLoopback: Bool) {
    let (head, connection) = (exchange.head, exchange.connection)
    kind =
      switch access {
      case .socket: .upgrade
      case .shared, .files: .shared
      case .open, .platform: .other
      }
    origins = head.fields.values(of: "Origin")
    host = head.fields["Host"] ?? ""
    authority = head.authority
    if !origins.isEmpty { sites = connection.forwardedSites(of: head) }
    isEncrypted = connection.isEncrypted
    self.isLoopback = isLoopback
  }
}
