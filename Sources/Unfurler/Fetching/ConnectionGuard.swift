import Basics
import CCurl
import Curl
import Glibc
import LinkPreview

/// Checks every address before a connection is opened, when the address is known.
///
/// A reused connection was also checked here, under the same policy.
final class ConnectionGuard {
  private let rule: Rule
  /// The first few addresses that were refused.
  private(set) var refused: [AddressRefusal] = []

  private enum Rule {
    case policy(AddressPolicy)
    /// Only the proxy's address is dialled, which the operator configured. The addresses beyond it
    /// are not visible here: only a target's name, or its address if the URL contains it, can be
    /// checked, and that is done before the request.
    case proxy
  }

  init(_ policy: AddressPolicy, usesProxy: Bool) {
    rule = usesProxy ? .proxy : .policy(policy)
  }

  /// Lets `easy` open connections only through this guard, which must outlive the request.
  func watch(_ easy: CurlEasy) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    _ = parley_curl_set_pointer(easy.handle, CURLOPT_OPENSOCKETDATA, context)
    _ = parley_curl_set_opensocket_function(easy.handle) { context, _, address in
      guard let context, let address else { return CURL_SOCKET_BAD }
      let connections = Unmanaged<ConnectionGuard>.fromOpaque(context).takeUnretainedValue()
      return connections.openSocket(to: address)
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
  static func ipAddress(_ address: UnsafeMutablePointer<curl_sockaddr>) -> IPAddress? {
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

/// The addresses of this machine's network interfaces, read again when they may have changed.
struct OwnAddresses {
  /// Reads the addresses.
  typealias Source = @Sendable () -> Set<IPAddress>

  private let source: Source
  private var addresses: Set<IPAddress> = []
  private var nextReading: ContinuousClock.Instant?

  /// The time for which a reading is reused.
  private static let lifetime = Duration.seconds(10)

  init(_ source: @escaping Source) { self.source = source }

  /// Returns the addresses, at most ten seconds old.
  mutating func current(at now: ContinuousClock.Instant) -> Set<IPAddress> {
    if let nextReading, now < nextReading { return addresses }
    nextReading = now.advanced(by: Self.lifetime)
    addresses = source()
    return addresses
  }
}

extension OwnAddresses {
  /// Reads the addresses of all interfaces, including those that are down; none if the kernel call
  /// fails.
  static func ofInterfaces() -> Set<IPAddress> {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var addresses: Set<IPAddress> = []
    var next = first
    while let entry = next {
      if let address = entry.pointee.ifa_addr.flatMap(address) { addresses.insert(address) }
      next = entry.pointee.ifa_next
    }
    return addresses
  }

  private static func address(_ pointer: UnsafeMutablePointer<sockaddr>) -> IPAddress? {
    let start = UnsafeRawPointer(pointer)
    switch Int32(pointer.pointee.sa_family) {
    case AF_INET:
      return IPAddress(
        networkOrder: UnsafeRawBufferPointer(start: start, count: MemoryLayout<sockaddr_in>.size)[
          4..<8])
    case AF_INET6:
      return IPAddress(
        networkOrder: UnsafeRawBufferPointer(start: start, count: MemoryLayout<sockaddr_in6>.size)[
          8..<24])
    default: return nil
    }
  }
}
