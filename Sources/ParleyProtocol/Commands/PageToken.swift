/// Where a page ended, as text that callers only hand back.
///
///     hex( checksum: 4 bytes | position )
///
/// The checksum covers the query's filters too, so a token is refused with another query.
package enum PageToken {
  /// Positions are numbers, a `user_id` or a nickname: a longer token is none of ours.
  private static let maximumByteCount = 1_024

  /// The token of a position in a list.
  ///
  /// - Parameter query: The list and its filters; decoding takes the same.
  package static func encode(_ position: [UInt8], query: [String]) -> String {
    let checksum = checksum(position, query)
    let bytes = withUnsafeBytes(of: checksum.bigEndian, Array.init) + position
    return bytes.reduce(into: "") { text, byte in
      text += String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }
  }

  /// The position that a token stands for; `nil` for a token that is not one of this query.
  package static func decode(_ token: String, query: [String]) -> [UInt8]? {
    let digits = Array(token.utf8)
    guard digits.count >= 8, digits.count.isMultiple(of: 2),
      digits.count <= 2 * maximumByteCount
    else { return nil }
    var bytes: [UInt8] = []
    for index in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[index]), let low = value(digits[index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    let position = Array(bytes.dropFirst(4))
    let checksum = bytes.prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard checksum == self.checksum(position, query) else { return nil }
    return position
  }

  /// The token of a position that is a text of ASCII and may be long: it stands there as it is.
  package static func encode(text: String, query: [String]) -> String {
    encode([], query: query + [text]) + text
  }

  /// The text that a token stands for; `nil` for a token that is not one of this query.
  package static func decode(text token: String, query: [String]) -> String? {
    let text = String(decoding: token.utf8.dropFirst(8), as: UTF8.self)
    let checksum = String(decoding: token.utf8.prefix(8), as: UTF8.self)
    return decode(checksum, query: query + [text]) == [] ? text : nil
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// FNV-1a, the parts kept apart by a byte that UTF-8 does not have.
  private static func checksum(_ position: [UInt8], _ query: [String]) -> UInt32 {
    var hash: UInt32 = 2_166_136_261
    func add(_ byte: UInt8) { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    position.forEach(add)
    for part in query {
      add(0xFF)
      part.utf8.forEach(add)
    }
    return hash
  }
}
