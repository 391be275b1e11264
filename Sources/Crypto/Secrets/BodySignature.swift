import Basics

/// The signature that proves to a receiver that a body comes from the gateway.
package enum BodySignature {
  /// The value of the field `Parley-Signature`: `sha256=` and the HMAC-SHA-256 of the body in
  /// hexadecimal digits; `nil` when out of memory.
  package static func value(of body: [UInt8], secret: [UInt8]) -> String? {
    HMACSHA256.code(of: body, under: secret).map { "sha256=" + Hexadecimal.encode($0) }
  }
}
