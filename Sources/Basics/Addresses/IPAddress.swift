/// An IPv4 or IPv6 address as a number.
///
/// Not used by the client library, which also runs where the standard library has no `UInt128`.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package enum IPAddress: Sendable, Hashable {
  /// Four bytes, the most significant first.
  case v4(UInt32)
  /// Sixteen bytes, the most significant first.
  case v6(UInt128)

  /// Parses an address in its usual notation: dotted decimal, or RFC 4291 §2.2 without a zone.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    if let address = Self.v4(fromDotted: bytes[...]) {
      self = .v4(address)
    } else if let address = Self.v6(from: bytes[...]) {
      self = .v6(address)
    } else {
      return nil
    }
  }

  /// Makes an address from its bytes, the most significant first: 4 for IPv4, 16 for IPv6; `nil` for any
  /// other number of bytes.
  package init?(networkOrder bytes: some Collection<UInt8>) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16: self = .v6(bytes.reduce(0) { $0 << 8 | UInt128($1) })
    default: return nil
    }
  }

  /// Whether only processes of the same machine can use the address: 127.0.0.0/8, also mapped into IPv6,
  /// and `::1`.
  package var isLoopback: Bool {
    switch self {
    case .v4(let bits): bits >> 24 == 127
    case .v6(let bits): bits == 1 || bits >> 24 == 0xffff_7f
    }
  }

  /// The number of bits in an address of this family.
  package var bitWidth: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }

  /// The address's bits, right-aligned.
  package var bits: UInt128 {
    switch self {
    case .v4(let bits): UInt128(bits)
    case .v6(let bits): bits
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension IPAddress: CustomStringConvertible {
  /// The canonical notation (RFC 5952 for IPv6).
  package var description: String {
    switch self {
    case .v4(let bits):
      [24, 16, 8, 0].map { String((bits >> UInt32($0)) & 0xff) }.joined(separator: ".")
    case .v6(let bits): Self.describe(bits)
    }
  }

  private static func describe(_ bits: UInt128) -> String {
    let groups = (0..<8).map { UInt16(truncatingIfNeeded: bits >> UInt128(112 - 16 * $0)) }
    let hex = groups.map { String($0, radix: 16) }
    guard let zeros = longestZeroRun(in: groups) else { return hex.joined(separator: ":") }
    return hex[..<zeros.lowerBound].joined(separator: ":") + "::"
      + hex[zeros.upperBound...].joined(separator: ":")
  }

  private static func longestZeroRun(in groups: [UInt16]) -> Range<Int>? {
    var longest: Range<Int>?
    var start = 0
    for index in 0...groups.count {
      if index < groups.count, groups[index] == 0 { continue }
      if index - start > max(1, longest?.count ?? 0) { longest = start..<index }
      start = index + 1
    }
    return longest
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension IPAddress {
  /// Parses four decimal numbers without leading zeros, as RFC 3986 §3.2.2 requires.
  package static func v4(fromDotted text: ArraySlice<UInt8>) -> UInt32? { AddressText.v4(text) }

  /// Parses groups of hexadecimal digits, with at most one `::` and an optional IPv4 address at the end.
  package static func v6(from text: ArraySlice<UInt8>) -> UInt128? {
    AddressText.v6(text).map { groups in groups.reduce(0) { $0 << 16 | UInt128($1) } }
  }
}
