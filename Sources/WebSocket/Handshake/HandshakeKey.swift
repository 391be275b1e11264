import Basics
import COpenSSL

/// `Sec-WebSocket-Key`, and the proof that a server understood it (RFC 6455 §1.3).
enum HandshakeKey {
  private static let identifier = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

  /// The value of `Sec-WebSocket-Accept` that answers `key`.
  static func accept(for key: String) -> String {
    let text = Array((key + identifier).utf8)
    var digest = [UInt8](repeating: 0, count: Int(SHA_DIGEST_LENGTH))
    SHA1(text, text.count, &digest)
    return Base64.encode(digest)
  }

  /// Whether `key` is the Base64 of 16 bytes (RFC 6455 §4.2.1, item 5).
  static func isValid(_ key: String) -> Bool {
    key.utf8.count == 24 && key.hasSuffix("==") && key.utf8.dropLast(2).allSatisfy(isBase64)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
      true
    default:
      false
    }
  }
}
