internal import Basics
package import ParleyProtocol

/// A token that Google's service issued, valid for a time.
package struct AccessToken: Sendable, Hashable {
  package static let answerByteLimit = 65_536
  private static let lengthLimit = 8_192
  /// The lifetime of a token whose answer has none, and the longest lifetime.
  private static let lifetime: Int64 = 3_600

  package let value: String
  /// Unix seconds.
  package let expiresAt: Int64

  /// Reads the answer of a token service (RFC 6749 §5.1).
  ///
  /// - Parameter now: Unix seconds.
  /// - Returns: `nil` for an answer without a usable token.
  package init?(status: Int, body: [UInt8], at now: Int64) {
    let limits = JSONLimits(byteCount: Self.answerByteLimit, depth: 8, nodeCount: 200)
    guard status == 200, let root = try? JSONDocument(body, limits: limits).root,
      let value = root["access_token"]?.string, (1...Self.lengthLimit).contains(value.utf8.count),
      value.utf8.allSatisfy({ (0x21...0x7e).contains($0) })
    else { return nil }
    if let type = root["token_type"]?.string, type.lowercased() != "bearer" { return nil }
    self.value = value
    let lifetime = root["expires_in"]?.integer ?? Self.lifetime
    expiresAt = now + min(max(lifetime, 0), Self.lifetime)
  }
}

/// The access of a service account to FCM: a token that is requested again before it expires.
package struct FCMAccess: Sendable {
  /// The preparation that a request to FCM needs.
  package enum Step: Sendable, Hashable {
    /// Nothing: send with this token.
    case use(String)
    /// A token is to be requested now.
    case request
    /// Another request is under way, or a failed one is repeated later.
    case wait
  }

  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  private static let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  private static let assertionLifetime: Int64 = 3_600
  /// The rest of a token's lifetime in which it is replaced, in seconds.
  private static let leastRest: Int64 = 300
  /// The least time between two requests for a token, in seconds.
  private static let pause: Int64 = 10

  private var token: AccessToken?
  private var isRequesting = false
  private var nextRequest = Int64.min

  package init() {}

  /// Chooses a token, or what to do for one.
  ///
  /// - Parameter now: Unix seconds.
  package mutating func next(at now: Int64) -> Step {
    if let token, now < token.expiresAt, isRequesting || token.expiresAt - now > Self.leastRest {
      return .use(token.value)
    }
    guard !isRequesting, now >= nextRequest || nextRequest > now + Self.pause else {
      // A token that expires soon is better than none.
      if let token, now < token.expiresAt { return .use(token.value) }
      return .wait
    }
    isRequesting = true
    return .request
  }

  /// Notes the answer to a request for a token; `nil` for one without.
  package mutating func receive(_ answer: AccessToken?, at now: Int64) {
    isRequesting = false
    nextRequest = now + Self.pause
    if let answer { token = answer }
  }

  /// Notes that FCM has refused a token.
  ///
  /// - Returns: Whether a request with the next token may succeed: it is another one.
  package mutating func refuse(_ refused: String, at now: Int64) -> Bool {
    guard token?.value == refused else { return true }
    // A token that was just issued is not refused because of its age.
    guard now >= nextRequest else { return false }
    token = nil
    return true
  }

  /// The request for a token (RFC 7523 §2.1); `nil` when the key is not RSA or fails.
  ///
  /// - Parameter now: Unix seconds.
  package static func request(
    for account: ServiceAccount, at now: Int64, signedBy key: some SigningKey
  ) -> PushRequest? {
    guard key.algorithm == "RS256" else { return nil }
    let assertion = SignedToken.make(signedBy: key, keyID: account.privateKeyID) {
      $0.member("iss", account.email)
      $0.member("scope", scope)
      $0.member("aud", account.tokenURL)
      $0.member("iat", now)
      $0.member("exp", now + assertionLifetime)
    }
    guard let assertion else { return nil }
    return PushRequest(
      url: account.tokenURL, fields: ["content-type: application/x-www-form-urlencoded"],
      body: Array("grant_type=\(PercentEncoding.encode(grant))&assertion=\(assertion)".utf8))
  }
}
