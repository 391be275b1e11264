internal import Basics

/// Verifies that a JSON Web Token is genuine and currently valid (RFC 7519, following RFC 8725).
///
/// There is one key, which alone determines the algorithm. An immutable value that is usable from any
/// thread.
package struct TokenVerifier: Sendable {
  /// The longest token accepted, in bytes.
  package static let sizeLimit = 8192
  /// The minimum size of a secret according to RFC 7518 §3.2, in bytes.
  ///
  /// The holder of a token can try to guess a shorter secret, so the operator is warned. Shorter secrets
  /// are accepted because some back ends sign with them.
  package static let soundSecretSize = 32

  let key: any VerificationKey
  /// The provider whose key it is; `nil` for a key of the settings.
  private let issuer: TokenIssuer?

  /// Accepts tokens that were signed with the key, or with its private key.
  ///
  /// - Parameter issuer: The provider whose tokens alone are accepted, with the claims that it requires.
  package init(key: some VerificationKey, issuer: TokenIssuer? = nil) {
    self.key = key
    self.issuer = issuer
  }

  /// Returns the claims of a token that is genuine and valid.
  ///
  /// - Parameters:
  ///   - token: Three parts in base64url, from an untrusted source.
  ///   - now: Unix time in seconds. A token is valid if `nbf` ≤ now < `exp`, without leeway; either
  ///     claim may be missing, but not `sub`.
  package func verify(_ token: String, now: Int64) throws(TokenError) -> Claims {
    try verify(CompactToken(token), now: now)
  }

  /// Returns the claims of a token that is genuine, valid and issued to `user`.
  package func verify(_ token: String, user: String, now: Int64) throws(TokenError) -> Claims {
    try verify(CompactToken(token), user: user, now: now)
  }

  private func verify(_ token: CompactToken, now: Int64) throws(TokenError) -> Claims {
    let claims = try Claims(payload: verifiedPayload(of: token), of: issuer)
    try claims.check(at: now)
    return claims
  }

  /// Returns the claims of a parsed token that is genuine, valid and issued to `user`.
  package func verify(_ token: CompactToken, user: String, now: Int64) throws(TokenError) -> Claims
  {
    let claims = try verify(token, now: now)
    // Swift's own comparison would treat canonically equivalent texts as the same user.
    guard claims.subject.utf8.elementsEqual(user.utf8) else { throw .wrongSubject }
    return claims
  }

  /// The payload, read only after the signature was verified.
  func verifiedPayload(of token: CompactToken) throws(TokenError) -> [UInt8] {
    guard token.algorithm == key.algorithm else {
      throw .unacceptableAlgorithm(String(token.algorithm.prefix(20)))
    }
    guard key.signed(token.signedText, as: token.signature) else { throw .badSignature }
    return token.payload
  }
}

/// A key that verifies tokens; each key is for one algorithm (RFC 8725 §3.1).
package protocol VerificationKey: Sendable {
  /// The only value of `alg` that the key accepts.
  var algorithm: String { get }

  /// Whether `signature` is a valid signature over `text` with this key.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool
}
