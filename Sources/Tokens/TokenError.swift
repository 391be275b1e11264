internal import Basics

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
