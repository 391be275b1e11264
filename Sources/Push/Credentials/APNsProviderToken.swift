package import ParleyProtocol

/// The token by which APNs recognizes the operator, used on all connections of a server.
///
/// APNs refuses tokens that are older than an hour, and new ones more often than every 20 minutes.
package struct APNsProviderToken: Sendable {
  private static let renewalSeconds: Int64 = 3_000
  /// The least age of a token that APNs has refused and that is replaced.
  private static let shortestSeconds: Int64 = 1_260

  private let keyID: String
  private let teamID: String
  private var token: String?
  private var issuedAt: Int64 = 0

  /// - Parameters:
  ///   - keyID: `push.apns.key_id`.
  ///   - teamID: `push.apns.team_id`.
  package init(keyID: String, teamID: String) {
    self.keyID = keyID
    self.teamID = teamID
  }

  /// The token, renewed if necessary.
  ///
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - key: A key of ES256.
  /// - Returns: `nil` when the key is of another kind or fails.
  package mutating func value(at now: Int64, signedBy key: some SigningKey) -> String? {
    guard key.algorithm == "ES256" else { return nil }
    // A clock that is set back gives a token the wrong age.
    if let token, now >= issuedAt, now - issuedAt < Self.renewalSeconds { return token }
    let token = SignedToken.make(signedBy: key, keyID: keyID) {
      $0.member("iss", teamID)
      $0.member("iat", now)
    }
    self.token = token
    issuedAt = now
    return token
  }

  /// Notes that APNs has refused a token as expired.
  ///
  /// - Returns: Whether a request with the next token may succeed: it is another one.
  package mutating func refuse(_ refused: String, at now: Int64) -> Bool {
    guard refused == token else { return true }
    guard now < issuedAt || now - issuedAt >= Self.shortestSeconds else { return false }
    token = nil
    return true
  }
}
