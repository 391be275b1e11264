/// How the near end of an outgoing connection is set up, where the kernel's choice won't do.
package struct LocalEnd: Sendable {
  /// The address to connect from; its port is mostly 0, for any.
  package var address: SocketAddress?
  /// The kernel's buffer for what was received and not read, in bytes; it doubles the number.
  package var receiveBufferBytes: Int?

  /// When what was read is acknowledged to the peer.
  package enum Acknowledgement: Sendable, Hashable {
    /// As the kernel sees fit, which for one who only reads is at each read.
    case standard
    /// After a while, or when much was read; ask again before each read.
    case delayed
  }

  package var acknowledgement = Acknowledgement.standard

  package init(
    address: SocketAddress? = nil, receiveBufferBytes: Int? = nil,
    acknowledgement: Acknowledgement = .standard
  ) {
    self.address = address
    self.receiveBufferBytes = receiveBufferBytes
    self.acknowledgement = acknowledgement
  }
}
