import ParleyProtocol
import Store

/// Session tokens, below `/v3/users/{id}/token`.
extension PlatformCall {
  private static let lifetime: Int64 = 7 * 24 * 60 * 60 * 1000

  /// `POST`: issues a token that opens sessions until `expires_at`, a week from now if it is not
  /// given.
  func issueSessionToken() throws(ServiceError) -> Work {
    let userID = try userID(at: 0)
    let now = node.services.clock.now
    let expiry = try request.parameters.integer("expires_at", in: Limits.timestamps)
    let expiresAt = expiry ?? now + Self.lifetime
    guard expiresAt > now else {
      throw .outOfRange("expires_at", expiresAt, now...Limits.timestamps.upperBound)
    }
    let secret = IssuedSecret()
    return write {
      guard let account = try $0.account(userID) else { throw ServiceError.notFound(.user, userID) }
      guard account.isActive else { throw ServiceError.deactivated(userID) }
      try $0.addSessionToken(secret.digest, userID: userID, expiresAt: expiresAt, at: now)
    } _: { _, writer in
      writer.object {
        $0.member("token", secret.text)
        $0.member("expires_at", expiresAt)
      }
    }
  }

  /// `DELETE`: revokes all of them, and closes the user's sessions, whichever token opened them.
  func revokeSessionTokens() throws(ServiceError) -> Work {
    let userID = try userID(at: 0)
    let cluster = node.services.cluster
    return { reply in
      node.services.store.write {
        guard try $0.user(userID) != nil else { throw ServiceError.notFound(.user, userID) }
        _ = try $0.removeSessionTokens(userID)
      } completion: { result in
        if case .success = result {
          cluster.closeSessions(of: userID, reason: "the user's session tokens were revoked")
        }
        reply(result.serviceResult.encodedEmpty)
      }
    }
  }
}
