internal import Reactor

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

  /// Closes the sockets, unless a loop has taken them over.
  func close() {
    for descriptor in descriptors { Socket.close(descriptor) }
  }

  private mutating func open(_ address: SocketAddress) throws(SystemError) {
    let (descriptor, bound) = try Socket.listenFirst(on: address)
    descriptors.append(descriptor)
    addresses.append(bound)
  }
}
