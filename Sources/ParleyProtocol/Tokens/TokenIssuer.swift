/// A provider whose tokens are accepted, and the claims that they must have.
package struct TokenIssuer: Sendable, Hashable {
  /// The value of `iss`, compared byte by byte.
  package let name: String
  /// The text that `aud` must be or contain; `nil` accepts the tokens of any audience.
  package var audience: String?
  package var algorithms: [SignatureAlgorithm]
  /// The claim with the user's id.
  package var userClaim: String
  /// The claim with the user's nickname; `nil` for none.
  package var nicknameClaim: String?

  /// The claim with the user's id unless another is configured.
  package static let subjectClaim = "sub"

  package init(
    _ name: String, audience: String? = nil,
    algorithms: [SignatureAlgorithm] = SignatureAlgorithm.standard,
    userClaim: String = TokenIssuer.subjectClaim, nicknameClaim: String? = nil
  ) {
    self.name = name
    self.audience = audience
    self.algorithms = algorithms
    self.userClaim = userClaim
    self.nicknameClaim = nicknameClaim
  }

  /// Whether tokens signed with an algorithm are accepted.
  package func accepts(_ algorithm: String) -> Bool {
    algorithms.contains { $0.rawValue == algorithm }
  }
}
