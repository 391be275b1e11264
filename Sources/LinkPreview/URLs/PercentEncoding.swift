/// Percent-encoding of what may not stand in a part of a URL as it is (WHATWG URL §1.3).
enum PercentEncoding {
  /// A part of a URL that has its own set of bytes to encode.
  enum Part {
    case path, query, fragment

    fileprivate func encodes(_ byte: UInt8) -> Bool {
      switch byte {
      case 0...0x20, 0x7f..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
      case UInt8(ascii: "`"): self != .query
      case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "^"): self == .path
      case UInt8(ascii: "'"): self == .query
      default: false
      }
    }
  }

  /// The text with every byte that `part` does not allow as `%XX`; what is encoded stays so.
  static func encode(_ text: ArraySlice<UInt8>, in part: Part) -> String {
    guard text.contains(where: part.encodes) else { return String(decoding: text, as: UTF8.self) }
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(text.count + 32)
    for byte in text {
      if part.encodes(byte) {
        encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      } else {
        encoded.append(byte)
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}
