internal import ParleyProtocol

/// The claims of a verified token (RFC 7519 §4.1); members that are not listed are ignored.
package struct Claims: Equatable, Sendable {
  /// The user that the token is made out to (`sub`).
  package let subject: String
  /// The first second in which the token is no longer valid (`exp`), Unix time.
  package let expiresAt: Int64?
  /// The first second in which it is valid (`nbf`), Unix time.
  package let notBefore: Int64?

  /// Reads the payload of a token whose signature was found right.
  init(payload: [UInt8]) throws(TokenError) {
    let object = try JOSEObject(payload, part: "payload")
    guard let subject = try object.text("sub"), !subject.isEmpty else {
      throw .malformed("sub is missing")
    }
    self.subject = subject
    expiresAt = try object.time("exp")
    notBefore = try object.time("nbf")
  }

  /// Checks the times, without leeway.
  func check(at now: Int64) throws(TokenError) {
    if let expiresAt, now >= expiresAt { throw .expired(at: expiresAt) }
    if let notBefore, now < notBefore { throw .notYetValid(until: notBefore) }
  }
}
