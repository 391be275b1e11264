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

  /// Accepts tokens that were signed with the key, or with its private key.
  package init(key: some VerificationKey) {
    self.key = key
  }

  /// Returns the claims of a token that is genuine and valid.
  ///
  /// - Parameters:
  ///   - token: Three parts in base64url, from an untrusted source.
  ///   - now: Unix time in seconds. A token is valid if `nbf` ≤ now < `exp`, without leeway; either
  ///     claim may be missing, but not `sub`.
  package func verify(_ token: String, now: Int64) throws(TokenError) -> Claims {
    let claims = try Claims(payload: verifiedPayload(of: token))
    try claims.check(at: now)
    return claims
  }

  /// Returns the claims of a token that is genuine, valid and issued to `user`.
  package func verify(_ token: String, user: String, now: Int64) throws(TokenError) -> Claims {
    let claims = try verify(token, now: now)
    // Swift's own comparison would treat canonically equivalent texts as the same user.
    guard claims.subject.utf8.elementsEqual(user.utf8) else { throw .wrongSubject }
    return claims
  }

  /// The payload, read only after the signature was verified.
  func verifiedPayload(of token: String) throws(TokenError) -> [UInt8] {
    let token = try CompactToken(token)
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

/// The reason why a token is not accepted.
///
/// The texts are for logs: an error sent to a client should contain only "invalid token".
package enum TokenError: Error, Equatable, Sendable {
  /// Longer than ``TokenVerifier/sizeLimit`` bytes.
  case tooLong
  /// Not the compact form of RFC 7515 §7.1, or a header or claim has the wrong type.
  case malformed(String)
  /// The algorithm does not match the configured key (RFC 8725 §3.1); `none` never does.
  case unacceptableAlgorithm(String)
  /// The header requires an extension that is not supported (`crit`, RFC 7515 §4.1.11).
  case criticalHeader
  /// Not signed with the configured key, or modified after signing.
  case badSignature
  /// The token was valid until that second (`exp`, RFC 7519 §4.1.4).
  case expired(at: Int64)
  /// The token is valid from that second on (`nbf`, RFC 7519 §4.1.5).
  case notYetValid(until: Int64)
  /// The token was issued for another user (`sub`).
  case wrongSubject
}

extension TokenError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooLong: "the token is longer than \(TokenVerifier.sizeLimit) bytes"
    case .malformed(let reason): "the token is malformed: \(reason)"
    case .unacceptableAlgorithm(let name):
      "the token's algorithm \(DisplayText.quoted(name)) is not accepted"
    case .criticalHeader: "the token has a critical header"
    case .badSignature: "the token's signature is wrong"
    case .expired(let time): "the token expired at \(time)"
    case .notYetValid(let time): "the token is not valid before \(time)"
    case .wrongSubject: "the token is another user's"
    }
  }
}
