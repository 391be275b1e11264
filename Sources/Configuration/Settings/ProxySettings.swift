package import Bytes

/// Proxies that stand before the server and tell whom they speak for.
package struct ProxySettings: Sendable, Equatable {
  /// The field of a request that proxies name the client in.
  package enum Field: String, Sendable, CaseIterable {
    case none
    case forwarded
    case xForwardedFor = "x-forwarded-for"
  }

  /// Where proxies connect that begin with a PROXY header; none when empty.
  package var listen: [SocketAddressText] = []
  package var field = Field.none
  /// Where the proxies are; with none named, any that reaches ``listen`` is one.
  package var trusted: [Network] = []

  /// Whether clients reach the server through a proxy, wherever that is.
  package var isUsed: Bool { !listen.isEmpty || field != .none }
}
