package import ParleyProtocol

/// A user with what the server alone knows of it.
package struct Account: Sendable, Hashable {
  package var user: User
  /// False for a deactivated user, who may not open sessions.
  package var isActive: Bool
  /// Of the access token that the Platform API issued; `nil` when it issued none.
  package var accessTokenHash: [UInt8]?
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds, right to within a minute; 0 when it never was.
  package var lastSeenAt: Int64
}
