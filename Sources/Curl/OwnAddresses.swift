package import Basics
internal import CCurl
internal import Glibc

/// The addresses of this machine's network interfaces, read again when they may have changed.
package struct OwnAddresses {
  /// Reads the addresses.
  package typealias Source = @Sendable () -> Set<IPAddress>

  private let source: Source
  private var addresses: Set<IPAddress> = []
  private var nextReading: ContinuousClock.Instant?

  /// The time for which a reading is reused.
  private static let lifetime = Duration.seconds(10)

  package init(_ source: @escaping Source) { self.source = source }

  /// Returns the addresses, at most ten seconds old.
  package mutating func current(at now: ContinuousClock.Instant) -> Set<IPAddress> {
    if let nextReading, now < nextReading { return addresses }
    nextReading = now.advanced(by: Self.lifetime)
    addresses = source()
    return addresses
  }
}

extension OwnAddresses {
  /// Reads the addresses of all interfaces, including those that are down; none if the kernel call
  /// fails.
  package static func ofInterfaces() -> Set<IPAddress> {
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
