internal import Basics

/// A private key that signs tokens; each key is for one algorithm.
package protocol SigningKey: Sendable {
  /// The value of `alg`.
  var algorithm: String { get }

  /// Signs a text in the form of RFC 7518 §3; `nil` when the key fails.
  func signature(of text: [UInt8]) -> [UInt8]?
}

/// A JSON Web Token of the server itself, in the compact form of RFC 7515 §7.1.
package enum SignedToken {
  /// Signs claims.
  ///
  /// - Parameters:
  ///   - key: The private key.
  ///   - keyID: The id by which the receiver knows the key (`kid`), if it does.
  ///   - claims: Writes the members of the payload.
  /// - Returns: `nil` when the key fails.
  package static func make(
    signedBy key: some SigningKey, keyID: String? = nil, _ claims: (inout JSONWriter) -> Void
  ) -> String? {
    let header = JSONWriter.bytes(reserving: 64) {
      $0.object {
        $0.member("typ", "JWT")
        $0.member("alg", key.algorithm)
        $0.member("kid", ifKnown: keyID)
      }
    }
    let payload = JSONWriter.bytes(reserving: 256) { $0.object(claims) }
    let text = "\(Base64URL.encode(header)).\(Base64URL.encode(payload))"
    guard let signature = key.signature(of: Array(text.utf8)) else { return nil }
    return "\(text).\(Base64URL.encode(signature))"
  }
}
