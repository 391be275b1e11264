internal import Basics

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
  /// The token is not by the issuer of the key (`iss`), or names one without configured keys.
  case unknownIssuer(String?)
  /// The token is for other audiences than the configured one (`aud`).
  case wrongAudience
  /// The token does not expire, although the tokens of its issuer must (`exp`).
  case missingExpiry
  /// The issuer has no key with that `kid`, or none for a token without one.
  case unknownKey(String?)
  /// The key with that `kid` is not for the token's algorithm.
  case unfitKey(String)
  /// The token has no `kid`, and its issuer has several keys for the algorithm.
  case ambiguousKey
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
    case .unknownIssuer(nil): "the token has no issuer"
    case .unknownIssuer(let name?):
      "the token's issuer \(DisplayText.quoted(name)) is not configured"
    case .wrongAudience: "the token is for another audience"
    case .missingExpiry: "the token has no expiry"
    case .unknownKey(nil): "the token's issuer has no key for its algorithm"
    case .unknownKey(let id?): "the token's issuer has no key \(DisplayText.quoted(id))"
    case .unfitKey(let id):
      "the key \(DisplayText.quoted(id)) is not for the token's algorithm"
    case .ambiguousKey: "the token names no key, and its issuer has several"
    }
  }
}

/// The kinds of reason for which tokens are refused, as metrics count them.
package enum TokenRefusal: String, Sendable, CaseIterable {
  case tooLong = "too_long"
  case malformed
  case algorithm
  case critical
  case signature
  case expired
  case notYetValid = "not_yet_valid"
  case user
  case issuer
  case audience
  case noExpiry = "no_expiry"
  case key
  /// There are no keys of the token's issuer at the moment.
  case noKeys = "no_keys"
  /// The request has no token.
  case missing
  /// Not a token that the Platform API has issued to the user, or no longer.
  case unknown

  package init(_ error: TokenError) {
    self =
      switch error {
      case .tooLong: .tooLong
      case .malformed: .malformed
      case .unacceptableAlgorithm: .algorithm
      case .criticalHeader: .critical
      case .badSignature: .signature
      case .expired: .expired
      case .notYetValid: .notYetValid
      case .wrongSubject: .user
      case .unknownIssuer: .issuer
      case .wrongAudience: .audience
      case .missingExpiry: .noExpiry
      case .unknownKey, .unfitKey, .ambiguousKey: .key
      }
  }
}
