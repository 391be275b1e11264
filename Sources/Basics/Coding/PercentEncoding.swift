/// Percent-encoding of bytes that are not allowed literally in a part of a URL (RFC 3986 §2.1).
package enum PercentEncoding {
  /// The bytes that are literal in some part of a URL.
  package struct Literals: Sendable {
    private let isLiteral: [Bool]

    /// Makes a set of the ASCII characters that satisfy the condition; no others can be literal.
    package init(where isLiteral: (UInt8) -> Bool) {
      self.isLiteral = (0...UInt8.max).map { $0 < 0x80 && isLiteral($0) }
    }

    /// Letters, digits, `-`, `.`, `_` and `~`, which never need encoding (§2.3).
    package static let unreserved = Literals { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        true
      default: false
      }
    }

    /// Whether a byte is literal.
    package func contains(_ byte: UInt8) -> Bool { isLiteral[Int(byte)] }
  }

  /// Encodes a text as a part of a path or a parameter.
  package static func encode(_ text: String) -> String {
    encode(text.utf8, keeping: .unreserved)
  }

  /// Encodes a text as one part of a path; `.` and `..` remain names.
  package static func encode(pathPart text: String) -> String {
    text == "." || text == ".." ? text.replacing(".", with: "%2E") : encode(text)
  }

  /// Encodes every byte that is not one of `literals`.
  package static func encode(
    _ bytes: some Collection<UInt8>, keeping literals: Literals
  ) -> String {
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for byte in bytes {
      if literals.contains(byte) {
        encoded.append(byte)
      } else {
        let (high, low) = Hexadecimal.upperCaseDigits(of: byte)
        encoded += [UInt8(ascii: "%"), high, low]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  /// Decodes to bytes; `nil` when a percent sign is not followed by two hexadecimal digits.
  package static func decode(_ encoded: some Collection<UInt8>) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    var iterator = encoded.makeIterator()
    while let byte = iterator.next() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = iterator.next()?.hexDigitValue, let low = iterator.next()?.hexDigitValue
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// Decodes to a text; `nil` for what ``decode(_:)`` refuses, and when the bytes are not UTF-8.
  package static func text(_ encoded: some Collection<UInt8>) -> String? {
    decode(encoded).flatMap { String(wellFormed: $0) }
  }
}
