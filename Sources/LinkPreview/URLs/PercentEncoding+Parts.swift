internal import Basics

/// The parts of a URL, each with its own bytes that stand for themselves (WHATWG URL §1.3); a
/// percent sign is one of them, so that what is encoded stays so.
extension PercentEncoding.Literals {
  static let path = Self {
    isLiteral($0) && !["`", "{", "}", "^"].contains(Unicode.Scalar($0))
  }

  static let query = Self { isLiteral($0) && $0 != UInt8(ascii: "'") }

  static let fragment = Self { isLiteral($0) && $0 != UInt8(ascii: "`") }

  private static func isLiteral(_ byte: UInt8) -> Bool {
    switch byte {
    case 0...0x20, 0x7f..., UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): false
    default: true
    }
  }
}
