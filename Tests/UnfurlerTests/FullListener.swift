import Glibc

/// A port on which the kernel takes no more connections, so that another attempt waits.
final class FullListener {
  let port: UInt16
  private var descriptors: [Int32]

  init() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    var clients: [Int32] = []
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard bind(listener, address, length) == 0, listen(listener, 0) == 0,
          getsockname(listener, address, &length) == 0
        else { return false }
        for _ in 0..<4 {
          let client = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
          clients.append(client)
          _ = connect(client, address, length)
        }
        return true
      }
    }
    descriptors = [listener] + clients
    port = UInt16(bigEndian: address.sin_port)
    guard isListening else { throw LocalServer.ServerError.cannotListen(errno) }
  }

  deinit {
    for descriptor in descriptors { close(descriptor) }
  }
}
