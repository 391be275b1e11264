/// A range of addresses that share a prefix (CIDR, RFC 4632).
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
package struct Network: Sendable, Hashable {
  /// An address inside the network, with zero host bits.
  package let address: IPAddress
  /// The number of leading bits that the addresses share.
  package let prefixLength: Int

  /// Parses a network such as `10.0.0.0/8` or `::1/128`, or a single address.
  ///
  /// - Throws: ``NetworkTextError`` when the text is not such a network, or when bits beyond the prefix
  ///   are set (a mistake that would allow more than intended).
  package init(parsing text: String) throws(NetworkTextError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let address = IPAddress(String(first)) else {
      throw .malformed(text)
    }
    var length = address.bitWidth
    if parts.count == 2 {
      guard let given = Int(decimal: parts[1]), given <= address.bitWidth else {
        throw .malformed(text)
      }
      length = given
    }
    guard address.bits & ~Self.mask(length, of: address.bitWidth) == 0 else {
      throw .hostBitsSet(text)
    }
    self.address = address
    prefixLength = length
  }

  /// Whether `other` is of the same family and has this prefix.
  package func contains(_ other: IPAddress) -> Bool {
    guard other.bitWidth == address.bitWidth else { return false }
    return other.bits & Self.mask(prefixLength, of: address.bitWidth) == address.bits
  }

  private static func mask(_ length: Int, of width: Int) -> UInt128 {
    let ones: UInt128 = width == 32 ? UInt128(UInt32.max) : UInt128.max
    return ones & ~(length >= width ? 0 : ones >> UInt128(length))
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension Network: CustomStringConvertible {
  /// The address and the prefix length, such as `10.0.0.0/8`.
  package var description: String { "\(address)/\(prefixLength)" }
}

/// The reason why a text is not a network.
package enum NetworkTextError: Error, Sendable, Hashable {
  /// Neither an address nor a network.
  case malformed(String)
  /// The address has bits set outside the network's prefix.
  case hostBitsSet(String)
}

extension NetworkTextError: CustomStringConvertible {
  /// The value, the problem, and what was expected.
  package var description: String {
    switch self {
    case .malformed(let text):
      "\(DisplayText.quoted(text)) is not a network: write an address and a prefix, such as "
        + "10.0.0.0/8"
    case .hostBitsSet(let text):
      "\(DisplayText.quoted(text)) has bits set beyond its prefix: write the network's first address"
    }
  }
}
