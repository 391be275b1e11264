/// The header that a proxy sends first on a connection, in HAProxy's PROXY protocol.
package enum ProxyHeader: Sendable, Hashable {
  /// The connection comes from this client.
  case client(PeerAddress)
  /// The proxy does not know the client, or connects for itself, such as for a health check: the
  /// address of the connection is the client's.
  case itself
}

/// The error of a connection that did not begin with a PROXY header.
package struct ProxyHeaderError: Error, Hashable, CustomStringConvertible {
  /// A description of the error, without any part of the input.
  package let description: String

  init(_ description: String) {
    self.description = description
  }
}
