package import Basics

/// Proxies in front of the server that forward the client's address.
package struct ProxySettings: Sendable, Equatable {
  /// The field of a request that proxies name the client in.
  package enum Field: String, Sendable, CaseIterable {
    case none
    case forwarded
    case xForwardedFor = "x-forwarded-for"
  }

  /// Addresses for proxies that begin with a PROXY header; none when empty.
  package var listen: [ListenAddress] = []
  package var field = Field.none
  /// Networks of the proxies; with none named, any that reaches ``listen`` is one.
  package var trusted: [Network] = []

  /// Whether clients reach the server through a proxy, wherever that is.
  package var isUsed: Bool { !listen.isEmpty || field != .none }
}
