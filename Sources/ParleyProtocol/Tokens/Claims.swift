/// The claims of a verified token (RFC 7519 §4.1); members that are not listed are ignored.
package struct Claims: Equatable, Sendable {
  /// The user that the token was issued for: `sub`, or the claim that the issuer has it in.
  package let subject: String
  /// The first second in which the token is no longer valid (`exp`), Unix time.
  package let expiresAt: Int64?
  /// The first second in which it is valid (`nbf`), Unix time.
  package let notBefore: Int64?
  /// The user's nickname in the claim configured for it; `nil` without one that is a valid nickname.
  package let nickname: String?

  /// Parses the payload of a token whose signature was verified.
  ///
  /// - Parameter issuer: The provider whose key verified it: its requirements are checked. `nil` for a
  ///   key without a provider.
  init(payload: [UInt8], of issuer: TokenIssuer? = nil) throws(TokenError) {
    let object = try JOSEObject(payload, part: "payload")
    subject = try Self.subject(in: object, issuer?.userClaim ?? TokenIssuer.subjectClaim)
    expiresAt = try object.time("exp")
    notBefore = try object.time("nbf")
    nickname = issuer?.nicknameClaim.flatMap { try? object.text($0) }.flatMap(Self.nickname)
    guard let issuer else { return }
    try Self.checkIssuer(in: object, issuer)
    try Self.checkAudience(in: object, issuer)
    guard expiresAt != nil else { throw .missingExpiry }
  }

  private static func nickname(_ text: String) -> String? {
    let scalars = text.unicodeScalars
    let isValid =
      scalars.count <= Limits.nicknameLength && !scalars.contains(where: \.actsOnItsSurroundings)
    return isValid && !text.isEmpty ? text : nil
  }

  static func subject(in object: JOSEObject, _ claim: String) throws(TokenError) -> String {
    guard let subject = try object.text(claim), !subject.isEmpty else {
      throw .malformed("\(claim) is missing")
    }
    return subject
  }

  static func checkIssuer(in object: JOSEObject, _ issuer: TokenIssuer) throws(TokenError) {
    let name = try object.text("iss")
    guard let name, name.utf8.elementsEqual(issuer.name.utf8) else { throw .unknownIssuer(name) }
  }

  static func checkAudience(in object: JOSEObject, _ issuer: TokenIssuer) throws(TokenError) {
    guard let audience = issuer.audience else { return }
    let isNamed = try object.audiences().contains { $0.utf8.elementsEqual(audience.utf8) }
    guard isNamed else { throw .wrongAudience }
  }

  /// Checks the times, without leeway.
  func check(at now: Int64) throws(TokenError) {
    if let expiresAt, now >= expiresAt { throw .expired(at: expiresAt) }
    if let notBefore, now < notBefore { throw .notYetValid(until: notBefore) }
  }
}
