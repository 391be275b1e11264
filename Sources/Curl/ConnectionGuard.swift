package import Basics
package import CCurl
internal import Glibc
package import LinkPreview

/// Checks every address before a connection is opened, when the address is known.
///
/// The address of a reused connection is checked before each request: another request may have opened it
/// under another policy.
package final class ConnectionGuard {
  private let rule: Rule
  /// The first few addresses that were refused.
  package private(set) var refused: [AddressRefusal] = []

  private enum Rule {
    case policy(AddressPolicy)
    /// Only the proxy's address is dialled, which the operator configured. The addresses beyond it
    /// are not visible here: only a target's name, or its address if the URL contains it, can be
    /// checked, and that is done before the request.
    case proxy
  }

  package init(_ policy: AddressPolicy, usesProxy: Bool) {
    rule = usesProxy ? .proxy : .policy(policy)
  }

  /// Lets `easy` open connections only through this guard, which must outlive the request.
  package func watch(_ easy: CurlEasy) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(easy.handle, CURLOPT_OPENSOCKETDATA, context)
    _ = parley_curl_set_opensocket_function(easy.handle) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      let connections = Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue()
      return connections.openSocket(to: address)
    }
    _ = parley_curl_set_pointer(easy.handle, CURLOPT_PREREQDATA, context)
    _ = parley_curl_set_prerequest_function(easy.handle) { context, address, _, _, _ in
      guard let context, let address else { return CURL_PREREQFUNC_ABORT }
      let connections = Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue()
      return connections.admitsRequest(to: String(cString: address))
        ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
    }
  }

  private func admitsRequest(to address: String) -> Bool {
    switch rule {
    case .proxy: true
    case .policy: IPAddress(address).map(admits) ?? false
    }
  }

  private func openSocket(to address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    guard let target = Self.ipAddress(address), admits(target) else { return CURL_SOCKET_BAD }
    let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.pointee.family, type, address.pointee.protocol)
  }

  private func admits(_ target: IPAddress) -> Bool {
    guard case .policy(let policy) = rule, let refusal = policy.refusal(of: target) else {
      return true
    }
    if refused.count < 4 { refused.append(refusal) }
    return false
  }

  /// Returns the address in a socket address of either family; `nil` for others and for truncated ones.
  package static func ipAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> IPAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let length = Int(address.pointee.addrlen)
    // libcurl reserves room for the longest socket address after this field.
    let bytes = UnsafeRawBufferPointer(
      start: UnsafeRawPointer(address).advanced(by: offset), count: length)
    switch address.pointee.family {
    case AF_INET where length >= MemoryLayout<sockaddr_in>.size:
      return IPAddress(networkOrder: bytes[4..<8])
    case AF_INET6 where length >= MemoryLayout<sockaddr_in6>.size:
      return IPAddress(networkOrder: bytes[8..<24])
    default: return nil
    }
  }
}
