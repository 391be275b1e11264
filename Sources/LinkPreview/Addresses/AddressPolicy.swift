package import Basics

/// Decides which addresses may be dialled to fetch a page.
///
/// Everything outside the public internet is refused, in any notation, unless the operator allowed
/// its network, and so are the machine's own addresses. An IPv6 address that only wraps an IPv4
/// address is judged by the inner address, since packets are delivered there.
package struct AddressPolicy: Sendable, Hashable {
  private let allowed: [Network]
  /// The addresses of the machine's interfaces: services listening on them expect clients, but not
  /// the machine itself.
  package var ownAddresses: Set<IPAddress> = []

  /// - Parameter allowing: Networks that may be dialled even if they are outside the public
  ///   internet, or the machine's own.
  package init(allowing allowed: [Network] = []) { self.allowed = allowed }

  /// Returns whether a connection to this address may be opened.
  package func permits(_ address: IPAddress) -> Bool { refusal(of: address) == nil }

  /// Returns the reason why this address is refused; `nil` if it is allowed.
  package func refusal(of address: IPAddress) -> AddressRefusal? {
    reason(against: address).map { AddressRefusal(address: address, reason: $0) }
  }

  private func reason(against address: IPAddress) -> AddressRefusal.Reason? {
    if allowed.contains(where: { $0.contains(address) }) { return nil }
    let isPublic: Bool
    switch address {
    case .v4: isPublic = !SpecialNetworks.v4.contains { $0.contains(address) }
    case .v6(let bits):
      switch WrappedIPv4(bits) {
      case .wraps(let inner):
        if let reason = inner.lazy.compactMap({ self.reason(against: .v4($0)) }).first {
          return reason
        }
        isPublic = true
      case .malformed: isPublic = false
      case .none:
        isPublic =
          SpecialNetworks.globalUnicast.contains(address)
          && !SpecialNetworks.v6.contains { $0.contains(address) }
      }
    }
    guard isPublic else { return .notPublic }
    return ownAddresses.contains(address) ? .ownAddress : nil
  }
}

/// An address that may not be dialled, and the reason.
package struct AddressRefusal: Sendable, Hashable {
  package enum Reason: Sendable, Hashable {
    /// Outside the public internet.
    case notPublic
    /// One of this machine's own addresses.
    case ownAddress
  }

  package let address: IPAddress
  package let reason: Reason
}

/// The ports that pages may be fetched from.
package struct PortPolicy: Sendable, Hashable {
  private let ranges: [ClosedRange<UInt16>]

  /// 80 and 443.
  package static let standard = PortPolicy([80...80, 443...443])

  package init(_ ranges: [ClosedRange<UInt16>]) { self.ranges = ranges }

  /// Returns whether a page may be fetched from this port.
  package func permits(_ port: UInt16) -> Bool { ranges.contains { $0.contains(port) } }

  /// Parses one port, such as `443`, or a range, such as `8000-8099`; `nil` for anything else, and
  /// for port 0.
  package static func range(_ text: String) -> ClosedRange<UInt16>? {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count <= 2, let first = ends.first.flatMap({ UInt16(decimal: $0) }),
      let last = ends.last.flatMap({ UInt16(decimal: $0) }), first >= 1, first <= last
    else { return nil }
    return first...last
  }

  /// Formats a range in the syntax of ``range(_:)``.
  package static func text(_ range: ClosedRange<UInt16>) -> String {
    range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound)-\(range.upperBound)"
  }
}

/// Networks that are not part of the public internet (IANA's special-purpose address registries).
enum SpecialNetworks {
  static let v4 = networks([
    "0.0.0.0/8",  // this network (RFC 1122)
    "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16",  // private (RFC 1918)
    "100.64.0.0/10",  // carrier-grade NAT (RFC 6598)
    "127.0.0.0/8",  // loopback
    "168.63.129.16/32",  // a cloud's host agent, reachable from its guests only
    "169.254.0.0/16",  // link-local (RFC 3927), metadata services
    "192.0.0.0/24",  // protocol assignments (RFC 6890)
    "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24",  // documentation (RFC 5737)
    "192.88.99.0/24",  // 6to4 relays (RFC 7526)
    "198.18.0.0/15",  // benchmarking (RFC 2544)
    "224.0.0.0/4",  // multicast
    "240.0.0.0/4",  // reserved, and broadcast
  ])

  /// Everything else is loopback, link-local, site-local, unique local, multicast, discard, or not
  /// assigned.
  static let globalUnicast = network("2000::/3")

  static let v6 = networks([
    "2001::/23",  // protocol assignments (RFC 2928): benchmarking, ORCHID and others
    "2001:db8::/32", "3fff::/20",  // documentation (RFC 3849, RFC 9637)
  ])

  private static func networks(_ texts: [String]) -> [Network] { texts.map(network) }

  private static func network(_ text: String) -> Network {
    do {
      return try Network(parsing: text)
    } catch {
      preconditionFailure("built-in network: \(error)")
    }
  }
}

/// The IPv4 addresses wrapped in an IPv6 address.
enum WrappedIPv4 {
  /// Packets are delivered to these addresses, or pass through them.
  case wraps([UInt32])
  /// The prefix implies an IPv4 address, but not its position.
  case malformed
  /// An address that wraps no other.
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
    // Local-use NAT64 with another length: only that network knows the position of the IPv4 address.
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
