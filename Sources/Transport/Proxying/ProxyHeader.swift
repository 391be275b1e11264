/// What a proxy says of a connection before anything else, by the PROXY protocol of HAProxy.
package enum ProxyHeader: Sendable, Hashable {
  /// The connection comes from this client.
  case client(PeerAddress)
  /// The proxy does not know the client, or speaks for itself, such as to ask whether the server is
  /// alive: the address of the connection stands.
  case itself
}

/// Why what a connection began with is no PROXY header.
package struct ProxyHeaderError: Error, Hashable, CustomStringConvertible {
  /// What was wrong, in words, without anything of the input.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
