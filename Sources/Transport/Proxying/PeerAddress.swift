package import Basics

/// The address of a client, with its port if known.
///
/// IPv4 addresses are stored mapped into IPv6 (RFC 4291 §2.5.5.2), so that an address is equal whether
/// it arrives on an IPv4 socket or on one for both protocols. 24 bytes.
package struct PeerAddress: Sendable, Hashable {
  /// The first 64 bits of the IPv6 address.
  let high: UInt64
  /// The last 64 bits.
  let low: UInt64
  /// The port; 0 when unknown.
  package let port: UInt16

  /// The IPv4 address or the IPv6 /64, which belongs to one client.
  package var network: (UInt64, UInt64) { (high, isV4 ? low : 0) }

  /// Creates an address from its bytes in network order.
  ///
  /// - Parameter bytes: 4 for IPv4, 16 for IPv6; `nil` is the result for any other number.
  package init?(bytes: some Collection<UInt8>, port: UInt16 = 0) {
    guard let address = IPAddress(networkOrder: bytes) else { return nil }
    self.init(address, port: port)
  }

  /// Creates an address from a number.
  package init(_ address: IPAddress, port: UInt16 = 0) {
    switch address {
    case .v4(let bits):
      high = 0
      low = Self.mappedPrefix | UInt64(bits)
    case .v6(let bits):
      high = UInt64(truncatingIfNeeded: bits >> 64)
      low = UInt64(truncatingIfNeeded: bits)
    }
    self.port = port
  }

  /// Parses a numeric address without brackets, zone or port; `nil` when it is invalid.
  package init?(host: String, port: UInt16 = 0) {
    guard let address = IPAddress(host) else { return nil }
    self.init(address, port: port)
  }

  /// Whether only processes of this machine can use the address.
  package var isLoopback: Bool {
    high == 0 && (low == 1 || low >> 24 == Self.mappedPrefix >> 24 | 127)
  }

  /// Whether it is an IPv4 address.
  package var isV4: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.mappedPrefix }

  /// The address; IPv4 if it is mapped into IPv6.
  package var address: IPAddress {
    isV4 ? .v4(UInt32(truncatingIfNeeded: low)) : mapped
  }

  /// The numeric address alone; an IPv4 address in its own notation.
  package var host: String { address.description }

  /// The address as 128 bits, an IPv4 address mapped into IPv6.
  fileprivate var mapped: IPAddress { .v6(UInt128(high) << 64 | UInt128(low)) }

  private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000
}

extension PeerAddress: CustomStringConvertible {
  /// `192.0.2.1:1234` or `[2001:db8::1]:1234`; without brackets and port when the port is unknown.
  package var description: String {
    guard port != 0 else { return host }
    return isV4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }
}

extension Network {
  /// Whether the network contains a client's address; an IPv4 address matches in the notation of either
  /// family.
  package func contains(_ peer: PeerAddress) -> Bool {
    contains(peer.address) || contains(peer.mapped)
  }
}

extension [Network] {
  /// Whether any of the networks contains a client's address.
  package func contains(_ peer: PeerAddress) -> Bool {
    contains { $0.contains(peer) }
  }
}
