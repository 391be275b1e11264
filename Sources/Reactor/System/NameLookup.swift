import CLinux
import Glibc

/// Finds the addresses of a host by the system's resolver.
package enum NameLookup {
  /// The failure of a look-up.
  package struct Failure: Error, Hashable, CustomStringConvertible {
    package let host: String
    /// The resolver's message.
    package let reason: String

    package var description: String { "the host \"\(host.prefix(80))\" was not found: \(reason)" }
  }

  /// The number of addresses that are considered.
  private static let limit = 16

  /// Queries the resolver, which may take many seconds: not for an event loop's thread.
  ///
  /// - Returns: At least one address, in the order in which they should be tried.
  package static func addresses(of host: String, port: UInt16) throws(Failure) -> [SocketAddress] {
    guard !host.utf8.contains(0) else {
      throw Failure(host: host, reason: "a name has no character U+0000")
    }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else {
      throw Failure(host: host, reason: gai_strerror(code).map { String(cString: $0) } ?? "\(code)")
    }
    defer { freeaddrinfo(list) }
    let addresses = collect(list).map { $0.withPort(port) }
    guard !addresses.isEmpty else { throw Failure(host: host, reason: "it has no address") }
    return addresses
  }

  private static func collect(_ list: UnsafeMutablePointer<addrinfo>?) -> [SocketAddress] {
    var addresses: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee, addresses.count < limit {
      if let address = SocketAddress(copying: entry.ai_addr, length: entry.ai_addrlen) {
        addresses.append(address)
      }
      next = entry.ai_next
    }
    return addresses
  }
}
