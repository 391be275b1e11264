package import Bytes
import Glibc

/// An address of a client, with its port where that is known.
///
/// IPv4 addresses are kept mapped into IPv6 (RFC 4291 §2.5.5.2), so that one that arrives on a socket
/// for both protocols is the same as one that does not. 24 bytes.
package struct PeerAddress: Sendable, Hashable {
  /// The first 64 bits of the IPv6 address.
  let high: UInt64
  /// The last 64 bits.
  let low: UInt64
  /// The port; 0 when it is not known.
  package let port: UInt16

  /// Makes an address from its bytes in network order.
  ///
  /// - Parameter bytes: 4 for IPv4, 16 for IPv6; `nil` is the result for any other number.
  package init?(bytes: some Collection<UInt8>, port: UInt16 = 0) {
    switch bytes.count {
    case 4:
      high = 0
      low = Self.mappedPrefix | Self.word(bytes)
    case 16:
      high = Self.word(bytes.prefix(8))
      low = Self.word(bytes.dropFirst(8))
    default:
      return nil
    }
    self.port = port
  }

  /// Makes an address of a number.
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

  /// Reads a numeric address without brackets, zone or port; `nil` when it is none.
  package init?(host: String, port: UInt16 = 0) {
    // The C library would pass over what follows a zero byte.
    guard !host.utf8.contains(0) else { return nil }
    var v4 = in_addr()
    var v6 = in6_addr()
    if inet_pton(AF_INET, host, &v4) == 1 {
      self.init(bytes: withUnsafeBytes(of: v4) { Array($0) }, port: port)
    } else if inet_pton(AF_INET6, host, &v6) == 1 {
      self.init(bytes: withUnsafeBytes(of: v6) { Array($0) }, port: port)
    } else {
      return nil
    }
  }

  /// Whether only processes of this machine can have it.
  package var isLoopback: Bool {
    high == 0 && (low == 1 || low >> 24 == Self.mappedPrefix >> 24 | 127)
  }

  /// Whether it is an IPv4 address.
  package var isV4: Bool { high == 0 && low & ~0xFFFF_FFFF == Self.mappedPrefix }

  /// The numeric address alone, an IPv4 address in its own notation.
  package var host: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    var bytes = [UInt8]()
    for word in [high, low] {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    if isV4 { bytes.removeFirst(12) }
    inet_ntop(isV4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count))
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func word(_ bytes: some Collection<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000
}

extension PeerAddress: CustomStringConvertible {
  /// `192.0.2.1:1234` or `[2001:db8::1]:1234`; without brackets and port when that is not known.
  package var description: String {
    guard port != 0 else { return host }
    return isV4 ? "\(host):\(port)" : "[\(host)]:\(port)"
  }
}
