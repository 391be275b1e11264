/// How the near end of an outgoing connection is set up, where the kernel's choice won't do.
package struct LocalEnd: Sendable {
  /// The address to connect from; its port is mostly 0, for any.
  package var address: SocketAddress?
  /// The kernel's buffer for what was received and not read, in bytes; it doubles the number.
  package var receiveBufferBytes: Int?

  package init(address: SocketAddress? = nil, receiveBufferBytes: Int? = nil) {
    self.address = address
    self.receiveBufferBytes = receiveBufferBytes
  }
}
