import CCurl
import Glibc
import LinkPreview

/// The guard at the only door: no connection is opened but here, and here the address is known.
extension Transfer {
  func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard let target = Self.ipAddress(address) else { return CURL_SOCKET_BAD }
    guard addressPolicy.permits(target) else {
      noteRefusal(of: target)
      return CURL_SOCKET_BAD
    }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
  }

  /// The address in a socket address of either family; `nil` for others and for truncated ones.
  static func ipAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> IPAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let length = Int(address.pointee.addrlen)
    // libcurl reserves room for the longest socket address behind this field.
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(address).advanced(by: offset), count: length)
    switch address.pointee.family {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      return .v4(bytes[4..<8].reduce(0) { $0 << 8 | UInt32($1) })
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      return .v6(bytes[8..<24].reduce(0) { $0 << 8 | UInt128($1) })
    default: return nil
    }
  }
}
