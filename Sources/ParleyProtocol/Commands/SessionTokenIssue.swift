/// The issue of a session token over the Platform API.
package struct SessionTokenIssue: Sendable, Hashable {
  /// The life of a token whose end is not given.
  private static let lifetime: Int64 = 7 * 24 * 60 * 60 * 1000

  /// Unix milliseconds; later than now.
  package var expiresAt: Int64

  package init(_ fields: Fields, at now: Int64) throws(ServiceError) {
    let expiry = try fields.integer("expires_at", in: Limits.timestamps)
    expiresAt = expiry ?? now + Self.lifetime
    guard expiresAt > now else {
      throw .outOfRange("expires_at", expiresAt, now...Limits.timestamps.upperBound)
    }
  }
}
