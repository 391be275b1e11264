import ParleyProtocol
import Channels
import Store
import Transport
import Crypto

/// Session tokens, below `/v3/users/{id}/token`.
enum SessionTokenEndpoints {
  /// `POST`: issues a token that opens sessions until `expires_at`, by default for a week.
  static func issue(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let now = call.services.clock.now
    let issue = try SessionTokenIssue(call.body, at: now)
    let secret = IssuedSecret()
    // Tokens that look expired because of a wrong clock are kept.
    let isHeld = call.services.deletionHold.rest(at: call.services.now) > 0
    let token = SessionTokenCreation(
      hash: secret.digest, userID: userID, expiresAt: issue.expiresAt, at: isHeld ? 0 : now)
    call.services.store.perform(token) { result in
      let issued = result.serviceResult.flatMap { outcome -> Result<Void, ServiceError> in
        switch outcome {
        case .issued: .success(())
        case .deactivated: .failure(.deactivated(userID))
        }
      }
      completion(issued) { _, writer in
        writer.object {
          $0.member("token", secret.text)
          $0.member("expires_at", issue.expiresAt)
        }
      }
    }
  }

  /// `DELETE`: revokes all tokens of a user, and closes the user's sessions, whatever their token.
  static func revoke(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let services = call.services
    services.store.perform(SessionTokenRevocation(userID: userID)) { result in
      if case .success = result {
        services.closeSessions(of: userID, .sessionTokensRevoked)
      }
      completion.empty(result.serviceResult)
    }
  }
}

/// The tokens of the Platform API itself, below `/v3/parley/api_tokens`.
enum APITokenEndpoints {
  /// `POST`: issues a named token.
  ///
  /// Only this answer contains the token.
  static func issue(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let name = try call.body.requiredText("name", limit: Limits.apiTokenNameLength)
    let role = try call.body.choice("role", of: APITokenRole.self) ?? .admin
    let secret = IssuedSecret()
    let services = call.services
    let now = services.clock.now
    let token = APIToken(
      name: name, hash: secret.digest, role: role, createdAt: now,
      expiresAt: try APITokenExpiry.requested(call.body, at: now))
    services.store.perform(APITokenIssue(token)) { result in
      if case .success = result {
        services.apiTokens.issued.insert(token)
        services.didAnnounce()
      }
      let outcome = result.mapError { error in
        error == .exists ? .apiTokenExists(name) : ServiceError(error)
      }
      completion(outcome) { token.encode(secret, into: &$1) }
    }
  }

  /// `GET`: all issued tokens, by name, including those that have expired.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    call.perform(APITokenList(), completion) { tokens, writer in
      writer.object {
        $0.member("api_tokens", array: { for token in tokens { token.encode(nil, into: &$0) } })
      }
    }
  }

  /// `GET …/me`: the token of the call.
  static func viewOwn(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    // The token may have been revoked since the call was admitted.
    guard let holder = call.services.apiTokens.holder(of: call.token) else {
      throw ServiceError(.invalidAPIToken, "the API token was revoked")
    }
    completion { writer in
      writer.object {
        $0.member("id", holder.id)
        $0.member("name", holder.name)
        $0.member("role", holder.role.rawValue)
        $0.member("expires_at", holder.expiresAt ?? 0)
      }
    }
  }

  /// `DELETE …/{id}`: revokes a token.
  ///
  /// Calls with the token are refused from then on.
  static func revoke(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let id = call.arguments["api_token_id"]
    guard id != APITokens.firstID else { throw .firstAPIToken }
    let services = call.services
    guard let digest = services.apiTokens.issued.digest(ofID: id) else {
      throw .notFound(.apiToken, id)
    }
    services.store.perform(APITokenRevocation(hash: digest.bytes)) { result in
      if case .success = result {
        services.apiTokens.issued.remove(digest)
        services.tokenRates.forget(digest)
        services.shards.sendToAll(LocalMessage.checkObservers)
        services.didAnnounce()
      }
      let outcome = result.mapError { error in
        error == .notFound(.token) ? .notFound(.apiToken, id) : ServiceError(error)
      }
      completion.empty(outcome)
    }
  }
}

extension APIToken {
  /// Writes a token without its hash.
  ///
  /// - Parameter secret: The token itself, in the answer to the call that issued the token.
  fileprivate func encode(_ secret: IssuedSecret?, into writer: inout JSONWriter) {
    writer.object {
      $0.member("id", id)
      $0.member("name", name)
      $0.member("role", role.rawValue)
      if let secret { $0.member("token", secret.text) }
      $0.member("created_at", createdAt)
      $0.member("last_used_at", lastUsedAt)
      $0.member("expires_at", expiresAt ?? 0)
    }
  }
}

extension ServiceError {
  /// Without the last token, an operator could not issue another.
  fileprivate static let firstAPIToken = ServiceError(
    .notAllowed,
    "the first API token is that of auth.api_token or of the file api-token in data_dir: "
      + "change it there and start again")
}

/// A token that is shown once.
///
/// Only its hash is stored.
struct IssuedSecret: Sendable {
  let text: String

  init() {
    text = SecureRandom.hex(byteCount: 20)
  }

  /// The hash that is stored.
  var digest: [UInt8] { TokenDigest(of: text).bytes }
}
