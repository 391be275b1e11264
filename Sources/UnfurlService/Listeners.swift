import Reactor

/// Listening sockets, opened together or not at all.
struct Listeners: Sendable {
  private(set) var descriptors: [Int32] = []
  private(set) var addresses: [SocketAddress] = []

  init(_ wanted: [SocketAddress]) throws(SystemError) {
    do throws(SystemError) {
      for address in wanted { try open(address) }
    } catch {
      close()
      throw error
    }
  }

  /// Gives the sockets back, when nobody has taken them over.
  func close() {
    for descriptor in descriptors { Socket.close(descriptor) }
  }

  private mutating func open(_ address: SocketAddress) throws(SystemError) {
    // Sockets that share a port share its connections, so another process must not have it. A port
    // that the kernel picks is nobody else's.
    if address.port != 0 { _ = try Socket.claim(address) }
    let descriptor = try Socket.listen(on: address)
    descriptors.append(descriptor)
    addresses.append(try SocketAddress(boundTo: descriptor))
  }
}
