/// How far a session has come.
package enum TLSProgress: Equatable, Sendable {
  /// The handshake needs more from the peer.
  case handshaking
  /// Plaintext flows both ways.
  case established
  /// The peer sent `close_notify`: nothing more will come, what is sent may still arrive.
  case closedByPeer
}

/// A protocol version that Parley speaks.
package enum TLSVersion: Equatable, Sendable {
  /// RFC 5246.
  case tls12
  /// RFC 8446.
  case tls13
}
