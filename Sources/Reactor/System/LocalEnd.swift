/// The options of the local end of an outgoing connection, where the kernel's defaults do not suit.
package struct LocalEnd: Sendable {
  /// The address to connect from; its port is mostly 0, for any.
  package var address: SocketAddress?
  /// The size of the kernel's receive buffer, in bytes; the kernel doubles the number.
  package var receiveBufferBytes: Int?

  /// The time at which bytes are acknowledged to the peer.
  package enum Acknowledgement: Sendable, Hashable {
    /// The kernel's default, which for a socket that is only read from is at each read.
    case standard
    /// After a delay, or after much was read; must be requested again before each read.
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
