internal import Basics

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

  /// Returns the claims of a token that is genuine and valid.
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

  /// Returns the claims of a token that is genuine, valid and issued to `user`.
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

/// A key that tokens are verified with; each stands for one algorithm (RFC 8725 §3.1).
package protocol VerificationKey: Sendable {
  /// The only value of `alg` that goes with the key.
  var algorithm: String { get }

  /// Whether `signature` is this key's over `text`.
  func signed(_ text: [UInt8], as signature: [UInt8]) -> Bool
}

/// The reason why a token is not accepted.
///
/// The texts are for logs: a client's error should not go beyond "invalid token".
package enum TokenError: Error, Equatable, Sendable {
  /// Longer than ``TokenVerifier/sizeLimit`` bytes.
  case tooLong
  /// Not the compact form of RFC 7515 §7.1, or a header or claim is not of its type.
  case malformed(String)
  /// The algorithm is not the one that the configured key is for (RFC 8725 §3.1); `none` never is.
  case unacceptableAlgorithm(String)
  /// The header demands to be understood in ways that are not (`crit`, RFC 7515 §4.1.11).
  case criticalHeader
  /// Not signed with the configured key, or changed since.
  case badSignature
  /// It was valid until that second (`exp`, RFC 7519 §4.1.4).
  case expired(at: Int64)
  /// It is valid from that second on (`nbf`, RFC 7519 §4.1.5).
  case notYetValid(until: Int64)
  /// It was made out to another user (`sub`).
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
