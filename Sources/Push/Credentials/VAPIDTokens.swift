internal import Basics
package import ParleyProtocol

/// The tokens by which push services recognize this server (VAPID, RFC 8292), one for each service.
///
/// A token is used until an hour before it expires. Services are few; endpoints that users make up are not,
/// so the number of tokens is bounded.
package struct VAPIDTokens: Sendable {
  /// Half of the seconds that RFC 8292 permits, so that a clock that is hours wrong does no harm.
  private static let lifetime: Int64 = 43_200
  private static let leastRest: Int64 = 3_600
  private static let countLimit = 256

  private struct Entry {
    var token: String
    var expiresAt: Int64
  }

  private var entries: [String: Entry] = [:]
  /// `push.subject`: how the operator of a service reaches the one of this server, `mailto:` or `https:`.
  private let subject: String
  /// The public key in base64url: the `applicationServerKey` of subscriptions.
  package let publicKey: String

  /// - Parameter publicKey: The uncompressed point of the key that signs.
  package init(subject: String, publicKey: P256Point) {
    self.subject = subject
    self.publicKey = Base64URL.encode(publicKey.bytes)
  }

  /// The value of the field `Authorization` for an endpoint.
  ///
  /// - Parameters:
  ///   - now: Unix seconds.
  ///   - key: A key of ES256.
  /// - Returns: `nil` when the endpoint has no origin or the key fails.
  package mutating func authorization(
    for endpoint: String, at now: Int64, signedBy key: some SigningKey
  ) -> String? {
    guard let parts = URLParts(endpoint), key.algorithm == "ES256" else { return nil }
    let origin = Self.origin(parts)
    if let entry = entries[origin],
      (Self.leastRest...Self.lifetime).contains(entry.expiresAt - now)
    {
      return header(entry.token)
    }
    let expiresAt = now + Self.lifetime
    let token = SignedToken.make(signedBy: key) {
      $0.member("aud", origin)
      $0.member("exp", expiresAt)
      $0.member("sub", subject)
    }
    guard let token else { return nil }
    if entries.count >= Self.countLimit { entries = [:] }
    entries[origin] = Entry(token: token, expiresAt: expiresAt)
    return header(token)
  }

  private func header(_ token: String) -> String { "vapid t=\(token), k=\(publicKey)" }

  /// The origin of a URL as in RFC 6454 §6.2.
  private static func origin(_ parts: URLParts) -> String {
    let host = parts.host.lowercased()
    guard let port = parts.port, port != 443 || parts.scheme != "https" else {
      return "\(parts.scheme)://\(host)"
    }
    return "\(parts.scheme)://\(host):\(port)"
  }
}
