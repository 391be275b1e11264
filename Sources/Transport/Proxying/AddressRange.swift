package import Bytes

/// A network, as its first address and the number of bits that count.
package struct AddressRange: Sendable, Hashable {
  private let base: PeerAddress
  /// Of the 128 bits of an IPv6 address, or of an IPv4 address mapped into one.
  private let prefixLength: Int

  /// Takes a network; its mapped IPv4 addresses count as IPv4 too.
  package init(_ network: Network) {
    base = PeerAddress(network.address)
    prefixLength =
      switch network.address {
      case .v4: network.prefixLength + 96
      case .v6: network.prefixLength
      }
  }

  /// Makes a range from a numeric address and a prefix length; `nil` when they make none.
  package init?(host: String, prefixLength: Int) {
    guard let base = PeerAddress(host: host) else { return nil }
    // What is written in IPv6's notation counts 128 bits, also when it is a mapped address.
    let isV4 = !host.contains(":")
    guard (0...(isV4 ? 32 : 128)).contains(prefixLength) else { return nil }
    self.base = base
    self.prefixLength = isV4 ? prefixLength + 96 : prefixLength
  }

  /// Whether an address lies in it.
  package func contains(_ address: PeerAddress) -> Bool {
    (address.high ^ base.high) & Self.mask(prefixLength) == 0
      && (address.low ^ base.low) & Self.mask(prefixLength - 64) == 0
  }

  /// So many leading ones; none for less than 1, 64 at most.
  private static func mask(_ count: Int) -> UInt64 {
    count <= 0 ? 0 : ~UInt64(0) << UInt64(64 - min(count, 64))
  }
}

extension [AddressRange] {
  /// Whether an address lies in one of them.
  package func contains(_ address: PeerAddress) -> Bool {
    contains { $0.contains(address) }
  }
}
