/// Undoes percent-encoding (RFC 3986 §2.1).
package enum PercentDecoding {
  /// The text that `encoded` stands for; `nil` when a percent sign is not followed by two
  /// hexadecimal digits, or the result is not UTF-8.
  static func decode(_ encoded: some Sequence<UInt8>) -> String? {
    bytes(encoded).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bytes that `encoded` stands for; `nil` when a percent sign is not followed by two
  /// hexadecimal digits.
  package static func bytes(_ encoded: some Sequence<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    var iterator = encoded.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next()?.hexadecimalValue,
        let low = iterator.next()?.hexadecimalValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }
}

extension UInt8 {
  fileprivate var hexadecimalValue: UInt8? {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
