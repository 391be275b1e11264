internal import Tokens

/// A secret that tokens are signed with by HS256 (RFC 7518 §3.2).
package struct SecretKey: VerificationKey {
  private let bytes: [UInt8]

  package var algorithm: String { "HS256" }

  /// - Throws: ``TokenKeyError/emptySecret``.
  package init(_ bytes: [UInt8]) throws(TokenKeyError) {
    guard !bytes.isEmpty else { throw .emptySecret }
    self.bytes = bytes
  }

  package func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool {
    guard let code = HMACSHA256.code(of: text, under: bytes) else { return false }
    return ConstantTime.areEqual(code, signature)
  }
}
