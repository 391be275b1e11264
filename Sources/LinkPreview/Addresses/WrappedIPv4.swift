/// The IPv4 addresses that an IPv6 address stands for.
enum WrappedIPv4 {
  /// Packets end up at these addresses, or pass through them.
  case wraps([UInt32])
  /// The prefix says that an IPv4 address is inside, but not where.
  case malformed
  /// An address in its own right.
  case none

  init(_ bits: UInt128) {
    let low = UInt32(truncatingIfNeeded: bits)
    let high96 = bits >> 32
    switch high96 {
    case 0, 0xffff, 0xffff_0000:  // -compatible, -mapped (RFC 4291 §2.5.5), -translated (RFC 2765)
      self = .wraps([low])
    case 0x0064_ff9b << 64:  // NAT64's well-known prefix (RFC 6052)
      self = .wraps([low])
    case 0x0064_ff9b_0001 << 48:  // NAT64's local-use prefix (RFC 8215), as a /96
      self = .wraps([low])
    default: self = Self.byShortPrefix(bits)
    }
  }

  private static func byShortPrefix(_ bits: UInt128) -> WrappedIPv4 {
    // Local-use NAT64 with another length: the place of the IPv4 address is the network's secret.
    if bits >> 80 == 0x0064_ff9b_0001 { return .malformed }
    // 6to4 (RFC 3056 §2).
    if bits >> 112 == 0x2002 { return .wraps([UInt32(truncatingIfNeeded: bits >> 80)]) }
    // Teredo (RFC 4380 §4): the server, and the client with its bits inverted.
    if bits >> 96 == 0x2001_0000 {
      return .wraps([UInt32(truncatingIfNeeded: bits >> 64), ~UInt32(truncatingIfNeeded: bits)])
    }
    return .none
  }
}
