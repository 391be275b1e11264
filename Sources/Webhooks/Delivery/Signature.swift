import Basics
import Crypto

/// The signature by which a receiver knows that a body is the gateway's.
package enum Signature {
  /// The value of the field `Parley-Signature`: `sha256=` and the HMAC-SHA-256 of the body in
  /// hexadecimal digits; `nil` when memory is out.
  package static func value(of body: [UInt8], secret: [UInt8]) -> String? {
    HMACSHA256.code(of: body, under: secret).map { "sha256=" + Hexadecimal.encode($0) }
  }
}
