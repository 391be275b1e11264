import Glibc

/// Ports for servers that cannot choose one by themselves, or that are started again on the same one.
package enum FreePort {
  package struct Failure: Error {}

  /// Below the ports that Linux gives to clients and to port 0, which other processes take at any time.
  private static let range = UInt16(10_000)..<30_000

  /// Returns a port of 127.0.0.1 that no server uses, at random.
  package static func choose() throws -> UInt16 {
    for _ in 0..<1_000 {
      let port = UInt16.random(in: range)
      if isFree(port) { return port }
    }
    throw Failure()
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
