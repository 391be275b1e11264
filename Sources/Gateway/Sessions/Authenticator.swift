import Configuration
import ParleyProtocol
import Store
import Tokens

/// A user that may open a session.
struct Credentials: Sendable {
  let user: User
  /// When its token expires, in Unix milliseconds; `nil` when it does not.
  let expiresAt: Int64?
  /// Whether opening changed the user's profile.
  let isNewProfile: Bool
}

/// Decides who may open a session.
final class Authenticator: Sendable {
  private let mode: AuthSettings.Mode
  private let verifiers: [TokenVerifier]
  private let store: Store

  /// - Throws: ``UnusableSetting`` for a secret or key that can't be used.
  init(_ settings: AuthSettings, store: Store) throws {
    mode = settings.mode
    self.store = store
    var verifiers: [TokenVerifier] = []
    if let secret = settings.jwtSecret {
      verifiers.append(
        try UnusableSetting.named("auth.jwt_secret") {
          try TokenVerifier(secret: secret.value)
        })
    }
    if let path = settings.jwtPublicKey {
      verifiers.append(
        try UnusableSetting.named("auth.jwt_public_key") {
          try TokenVerifier(publicKeyPath: path)
        })
    }
    self.verifiers = verifiers
  }

  /// Checks a user's token and takes over its profile.
  ///
  /// - Parameter completion: Called once, on any thread.
  func authenticate(
    _ command: SessionOpen, clock: DeploymentClock,
    completion: @escaping @Sendable (Result<Credentials, ServiceError>) -> Void
  ) {
    switch mode {
    case .open: admit(command, expiresAt: nil, at: clock.now, completion)
    case .token:
      guard let token = command.accessToken, !token.isEmpty else {
        completion(.failure(.accessToken("an access token is required")))
        return
      }
      check(token, of: command.userID, clock: clock) { [self] result in
        switch result {
        case .success(let expiry): admit(command, expiresAt: expiry, at: clock.now, completion)
        case .failure(let error): completion(.failure(error))
        }
      }
    }
  }

  /// Checks a token of a user.
  ///
  /// - Parameter completion: Gets the time when it expires, in Unix milliseconds; called once, on
  ///   any thread.
  func check(
    _ token: String, of userID: String, clock: DeploymentClock,
    completion: @escaping @Sendable (Result<Int64?, ServiceError>) -> Void
  ) {
    guard mode == .token else {
      completion(.success(nil))
      return
    }
    for verifier in verifiers {
      if let claims = try? verifier.verify(token, user: userID, now: clock.now / 1000) {
        completion(.success(claims.expiresAt.map { $0.multipliedClamping(by: 1000) }))
        return
      }
    }
    let digest = TokenDigest(of: token).bytes
    let now = clock.now
    store.read {
      try $0.issuedToken(hash: digest, at: now)
    } completion: { result in
      completion(
        result.serviceResult.flatMap { token in
          guard let token, token.userID == userID else {
            return .failure(.accessToken("the access token is not valid for this user"))
          }
          return .success(token.expiresAt)
        })
    }
  }

  /// Takes over the user's profile; the user is made when new.
  private func admit(
    _ command: SessionOpen, expiresAt: Int64?, at now: Int64,
    _ completion: @escaping @Sendable (Result<Credentials, ServiceError>) -> Void
  ) {
    let id = command.userID
    do throws(ServiceError) { try NormalForm.require(id, "user_id") } catch {
      return completion(.failure(error))
    }
    store.read {
      try $0.account(id)
    } completion: { [store] result in
      switch result.serviceResult {
      case .failure(let error): completion(.failure(error))
      case .success(let account?) where !account.isActive:
        completion(.failure(.deactivated(command.userID)))
      case .success(let account?) where command.agrees(with: account.user):
        let user = account.user
        completion(
          .success(Credentials(user: user, expiresAt: expiresAt, isNewProfile: false)))
      case .success:
        store.write {
          try $0.upsertUser(
            command.userID, nickname: command.nickname, profileURL: command.profileURL, at: now)
        } completion: { result in
          completion(
            result.serviceResult.map {
              Credentials(user: $0, expiresAt: expiresAt, isNewProfile: true)
            })
        }
      }
    }
  }
}

extension SessionOpen {
  /// Whether opening changes nothing about the user.
  fileprivate func agrees(with user: User) -> Bool {
    (nickname ?? user.nickname) == user.nickname
      && (profileURL ?? user.profileURL) == user.profileURL
  }
}

extension Int64 {
  fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
    let (product, isOverflow) = multipliedReportingOverflow(by: factor)
    return isOverflow ? .max : product
  }
}
