/// The notation of addresses: dotted decimal, and the groups of RFC 4291 §2.2 without a zone.
package enum AddressText {
  /// Parses four decimal numbers without leading zeros, as RFC 3986 §3.2.2 requires.
  package static func v4(_ text: ArraySlice<UInt8>) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return nil }
    var bits: UInt32 = 0
    for part in parts {
      guard let byte = decimalByte(part) else { return nil }
      bits = bits << 8 | UInt32(byte)
    }
    return bits
  }

  private static func decimalByte(_ digits: ArraySlice<UInt8>) -> UInt8? {
    guard (1...3).contains(digits.count), digits.allSatisfy(Self.isDigit) else { return nil }
    if digits.count > 1, digits.first == UInt8(ascii: "0") { return nil }
    return UInt8(String(decoding: digits, as: UTF8.self))
  }

  /// Parses groups of hexadecimal digits, with at most one `::` and an optional IPv4 address at the end.
  ///
  /// - Returns: The eight groups, the most significant first.
  package static func v6(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    guard text.count <= 45 else { return nil }
    let colon = UInt8(ascii: ":")
    let gaps = text.indices.dropLast().filter { text[$0] == colon && text[$0 + 1] == colon }
    guard let gap = gaps.first else { return groups(text).flatMap { $0.count == 8 ? $0 : nil } }
    guard gaps.count == 1, let head = groups(text[..<gap]), let tail = groups(text[(gap + 2)...]),
      head.count + tail.count < 8
    else { return nil }
    let zeros = [UInt16](repeating: 0, count: 8 - head.count - tail.count)
    // An IPv4 part is only allowed at the very end of the address.
    guard !text[..<gap].contains(UInt8(ascii: ".")) else { return nil }
    return head + zeros + tail
  }

  private static func groups(_ text: ArraySlice<UInt8>) -> [UInt16]? {
    if text.isEmpty { return [] }
    let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    for (index, part) in parts.enumerated() {
      if index == parts.count - 1, let v4 = v4(part) {
        groups += [UInt16(v4 >> 16), UInt16(truncatingIfNeeded: v4)]
      } else {
        guard (1...4).contains(part.count), part.allSatisfy(Self.isHexDigit),
          let group = UInt16(String(decoding: part, as: UTF8.self), radix: 16)
        else { return nil }
        groups.append(group)
      }
    }
    return groups.count <= 8 ? groups : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    isDigit(byte) || (byte | 0x20) &- 0x61 < 6
  }
}
