/// Decides whether a JSON Web Token is genuine and valid now (RFC 7519, with the advice of
/// RFC 8725).
///
/// There is one key, and the key alone decides the algorithm. A value that does not change, for use
/// from any thread.
package struct TokenVerifier: Sendable {
  /// The longest token accepted, in bytes.
  package static let sizeLimit = 8192
  /// The size of a secret that RFC 7518 §3.2 demands, in bytes.
  ///
  /// The holder of a token can try to guess a shorter secret, so the operator is warned. Shorter
  /// ones are accepted, because back ends that sign with one exist.
  package static let soundSecretSize = 32

  let key: any VerificationKey

  /// Accepts tokens that were signed with the key, or with the private key to it.
  package init(key: some VerificationKey) {
    self.key = key
  }

  /// Returns what a token says when it is genuine and valid.
  ///
  /// - Parameters:
  ///   - token: Three parts in base64url, from the outside.
  ///   - now: Unix time in seconds. Valid is `nbf` ≤ now < `exp`, without leeway; either claim may
  ///     be missing. `sub` may not.
  package func verify(_ token: String, now: Int64) throws(TokenError) -> Claims {
    let claims = try Claims(payload: verifiedPayload(of: token))
    try claims.check(at: now)
    return claims
  }

  /// Returns what a token says when it is genuine, valid and made out to `user`.
  package func verify(_ token: String, user: String, now: Int64) throws(TokenError) -> Claims {
    let claims = try verify(token, now: now)
    // Swift's own comparison would take canonically equivalent texts for the same user.
    guard claims.subject.utf8.elementsEqual(user.utf8) else { throw .wrongSubject }
    return claims
  }

  /// The payload, read only after the signature was found right.
  func verifiedPayload(of token: String) throws(TokenError) -> [UInt8] {
    let token = try CompactToken(token)
    guard token.algorithm == key.algorithm else {
      throw .unacceptableAlgorithm(String(token.algorithm.prefix(20)))
    }
    guard key.signed(token.signedText, as: token.signature) else { throw .badSignature }
    return token.payload
  }
}
