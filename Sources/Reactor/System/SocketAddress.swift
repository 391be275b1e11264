package import Basics
import CLinux
import Glibc

/// An IPv4 or IPv6 address with a port, in the kernel's format.
package struct SocketAddress: Sendable, CustomStringConvertible {
  private var storage = sockaddr_storage()
  private var length: socklen_t = 0

  /// Makes an address from a numeric host (`127.0.0.1`, `::1`) and a port.
  ///
  /// - Returns: `nil` when the host is not a numeric address.
  package init?(host: String, port: UInt16) {
    guard let address = IPAddress(host) else { return nil }
    self.init(address, port: port)
  }

  /// Makes an address from its number and a port.
  package init(_ address: IPAddress, port: UInt16) {
    switch address {
    case .v4(let bits):
      var v4 = sockaddr_in()
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = port.bigEndian
      v4.sin_addr.s_addr = bits.bigEndian
      self.init(copying: v4)
    case .v6(let bits):
      var v6 = sockaddr_in6()
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = port.bigEndian
      withUnsafeMutableBytes(of: &v6.sin6_addr) {
        $0.storeBytes(of: bits.bigEndian, as: UInt128.self)
      }
      self.init(copying: v6)
    }
  }

  private init<Address>(copying address: Address) {
    withUnsafeMutableBytes(of: &storage) { target in
      withUnsafeBytes(of: address) { target.copyMemory(from: $0) }
    }
    length = socklen_t(MemoryLayout<Address>.size)
  }

  /// Copies an address returned by a system call; `nil` for families other than IPv4 and IPv6.
  init?(copying address: UnsafePointer<sockaddr>?, length: socklen_t) {
    guard let address, [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family)),
      Int(length) <= MemoryLayout<sockaddr_storage>.size
    else { return nil }
    withUnsafeMutableBytes(of: &storage) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
    }
    self.length = length
  }

  /// The address that a socket is bound to.
  package init(boundTo descriptor: Int32) throws(SystemError) {
    length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &length)
      }
    }
    guard result == 0 else { throw .last("getsockname") }
  }

  /// The address of a connected socket's peer.
  package init(peerOf descriptor: Int32) throws(SystemError) {
    length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getpeername(descriptor, $0, &length)
      }
    }
    guard result == 0 else { throw .last("getpeername") }
  }

  /// The host alone, in network order: 4 or 16 bytes; empty for other families.
  package var hostBytes: [UInt8] {
    withUnsafeBytes(of: storage) { bytes in
      switch family {
      case AF_INET: Array(bytes[4..<8])
      case AF_INET6: Array(bytes[8..<24])
      default: []
      }
    }
  }

  /// `AF_INET` or `AF_INET6`.
  package var family: Int32 { Int32(storage.ss_family) }

  /// The port, in the host's byte order.
  package var port: UInt16 {
    withUnsafeBytes(of: storage) { bytes in
      // sin_port and sin6_port have the same offset.
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
    }
  }

  /// The same host with another port.
  package func withPort(_ port: UInt16) -> SocketAddress {
    var copy = self
    withUnsafeMutableBytes(of: &copy.storage) { bytes in
      bytes.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
    }
    return copy
  }

  /// Passes the address to a system call.
  func withSockAddr<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  /// `127.0.0.1:8080` or `[::1]:8080`.
  package var description: String {
    let host = IPAddress(networkOrder: hostBytes)?.description ?? ""
    return family == AF_INET6 ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}

/// Looks up the addresses of a host with the system's resolver.
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
