import Configuration
import Crypto
import ParleyProtocol
import Channels
import Store

/// A user that may open a session.
struct Credentials: Sendable {
  let user: User
  let grant: TokenGrant
  /// The generation of the user's file keys.
  let fileKeysSince: Int64
  /// Whether opening changed the user's profile.
  let isNewProfile: Bool
  /// JSON for the client from the app's back end.
  let hookData: [UInt8]?
}

/// The reason why a token is not accepted: the error for the client, and more details for the log.
struct AccessRefusal: Error, Sendable {
  let error: ServiceError
  let reason: String

  init(_ error: ServiceError, reason: String? = nil) {
    self.error = error
    self.reason = reason ?? error.message
  }
}

/// Decides which users may open a session.
final class Authenticator: Sendable {
  private let mode: AuthSettings.Mode
  /// The keys of JSON Web Tokens.
  let keys: TokenKeys
  private let store: Store
  private let sharing: StoreSharing

  /// - Parameter sharing: With other servers, sessions are evicted through announcements of the store.
  init(_ mode: AuthSettings.Mode, _ keys: TokenKeys, store: Store, sharing: StoreSharing) {
    self.mode = mode
    self.keys = keys
    self.store = store
    self.sharing = sharing
  }

  /// Checks a user's token, and adopts the user's profile.
  ///
  /// - Parameter completion: Called once, on any thread.
  func authenticate(
    _ command: SessionOpen, clock: DeploymentClock, asking asker: SessionAsker? = nil,
    completion: @escaping @Sendable (Result<Credentials, AccessRefusal>) -> Void
  ) {
    let admitUser: @Sendable (TokenGrant) -> Void = { [self] grant in
      admit(command, grant, asking: mode == .hook ? nil : asker, at: clock.now) {
        completion($0.mapError { AccessRefusal($0) })
      }
    }
    switch mode {
    case .open, .hook:
      findLastEviction(of: command.userID) { result in
        switch result {
        case .success(let number):
          admitUser(
            TokenGrant(
              proof: .none, expiresAt: command.terms.expiresAt, lastEviction: number))
        case .failure(let refusal): completion(.failure(refusal))
        }
      }
    case .token:
      guard let token = command.accessToken, !token.isEmpty else {
        keys.count(.missing)
        completion(.failure(AccessRefusal(.accessToken("an access token is required"))))
        return
      }
      check(token, of: command.userID, clock: clock) { result in
        switch result {
        case .success(let grant): admitUser(grant)
        case .failure(let refusal): completion(.failure(refusal))
        }
      }
    }
  }

  /// Checks a token of a user.
  ///
  /// - Parameter completion: Called once, on any thread.
  func check(
    _ token: String, of userID: String, clock: DeploymentClock,
    completion: @escaping @Sendable (Result<TokenGrant, AccessRefusal>) -> Void
  ) {
    findLastEviction(of: userID) { [self] result in
      switch (result, mode) {
      case (.failure(let refusal), _): completion(.failure(refusal))
      case (.success(let number), .open), (.success(let number), .hook):
        completion(.success(TokenGrant(proof: .none, expiresAt: nil, lastEviction: number)))
      case (.success(let number), .token):
        check(token, of: userID, after: number, clock: clock, completion: completion)
      }
    }
  }

  /// The rights of a user with a token that the app's back end has accepted or refused.
  ///
  /// - Parameters:
  ///   - expiry: Unix milliseconds; `nil` for a token that does not expire.
  ///   - completion: Called once, on any thread.
  func findGrant(
    of userID: String, _ expiry: Result<Int64?, ServiceError>,
    _ completion: @escaping @Sendable (Result<TokenGrant, AccessRefusal>) -> Void
  ) {
    findLastEviction(of: userID) { result in
      completion(
        result.flatMap { number in
          expiry.mapError { AccessRefusal($0) }.map {
            TokenGrant(proof: .none, expiresAt: $0, lastEviction: number)
          }
        })
    }
  }

  /// Finds the last announcement that evicted the user, before the user's token is checked.
  private func findLastEviction(
    of userID: String, _ completion: @escaping @Sendable (Result<Int64, AccessRefusal>) -> Void
  ) {
    switch sharing {
    case .alone: completion(.success(0))
    case .shared:
      store.perform(LastEviction(of: userID)) { result in
        completion(result.serviceResult.mapError { AccessRefusal($0) })
      }
    }
  }

  private func check(
    _ token: String, of userID: String, after lastEviction: Int64, clock: DeploymentClock,
    completion: @escaping @Sendable (Result<TokenGrant, AccessRefusal>) -> Void
  ) {
    keys.verify(token, of: userID, clock: clock) { [self] verdict in
      switch verdict {
      case .accepted(let claims):
        let expiry = claims.expiresAt.map { $0.multipliedClamping(by: 1000) }
        completion(
          .success(
            TokenGrant(
              proof: .signed, expiresAt: expiry, lastEviction: lastEviction,
              nickname: claims.nickname)))
      case .refused(let refusal, let kind):
        keys.count(kind)
        completion(.failure(refusal))
      case .unverified(let errors):
        findIssued(token, of: userID, errors, after: lastEviction, at: clock.now, completion)
      }
    }
  }

  /// Looks for a token that the Platform API has issued.
  ///
  /// - Parameter errors: The reasons why it is no JSON Web Token of the user.
  private func findIssued(
    _ token: String, of userID: String, _ errors: [TokenError], after lastEviction: Int64,
    at now: Int64, _ completion: @escaping @Sendable (Result<TokenGrant, AccessRefusal>) -> Void
  ) {
    let digest = TokenDigest(of: token).bytes
    store.perform(IssuedTokenLookup(hash: digest, at: now)) { [keys] result in
      completion(
        result.serviceResult.mapError { AccessRefusal($0) }.flatMap { token in
          guard let token, token.userID == userID else {
            keys.count(TokenRefusal(errors, isOthers: token != nil))
            let reason = token == nil ? "unknown, expired or revoked" : "another user's"
            let all =
              errors.map { "as a JSON Web Token: \($0)" } + ["as an issued token: \(reason)"]
            return .failure(AccessRefusal(.notValidToken, reason: all.joined(separator: "; ")))
          }
          return .success(
            TokenGrant(
              proof: token.expiresAt == nil ? .accessToken : .sessionToken,
              expiresAt: token.expiresAt, lastEviction: lastEviction))
        })
    }
  }

  /// Adopts the user's profile, after the app's back end has allowed the session.
  ///
  /// A new user is created.
  private func admit(
    _ command: SessionOpen, _ grant: TokenGrant, asking asker: SessionAsker?, at now: Int64,
    _ completion: @escaping @Sendable (Result<Credentials, ServiceError>) -> Void
  ) {
    let id = command.userID
    var command = command
    command.nickname = grant.nickname ?? command.nickname
    do throws(ServiceError) { try NormalForm.require(id, "user_id") } catch {
      return completion(.failure(error))
    }
    store.perform(AccountLookup(id)) { [self, command] result in
      switch result.serviceResult {
      case .failure(let error): completion(.failure(error))
      case .success(let account?) where !account.isActive:
        completion(.failure(.deactivated(id)))
      case .success(let account):
        guard let asker else { return adopt(command, grant, account, at: now, completion) }
        guard account != nil || !grant.proof.needsAccount else {
          return completion(.failure(.notValidToken))
        }
        asker.ask(about: command, of: account?.user) { [self] answer in
          switch answer {
          case .failure(let error): completion(.failure(error))
          case .success(let command):
            let expiry = command.terms.expiresAt ?? grant.expiresAt
            let grant = TokenGrant(
              proof: grant.proof, expiresAt: expiry, lastEviction: grant.lastEviction)
            adopt(command, grant, account, at: now, completion)
          }
        }
      }
    }
  }

  private func adopt(
    _ command: SessionOpen, _ grant: TokenGrant, _ account: Account?, at now: Int64,
    _ completion: @escaping @Sendable (Result<Credentials, ServiceError>) -> Void
  ) {
    let id = command.userID
    if let account, command.agrees(with: account.user) {
      return completion(
        .success(
          Credentials(
            user: account.user, grant: grant, fileKeysSince: account.fileKeysSince,
            isNewProfile: false, hookData: command.terms.data)))
    }
    let mustExist = account != nil || grant.proof.needsAccount
    takeOver(command, mustExist ? .isReported : .isMade, at: now) { [store] result in
      switch result {
      case .failure(let error): completion(.failure(error))
      case .success(let user):
        store.perform(AccountLookup(id)) { account in
          completion(
            account.serviceResult.existing(id).map {
              Credentials(
                user: user, grant: grant, fileKeysSince: $0.fileKeysSince, isNewProfile: true,
                hookData: command.terms.data)
            })
        }
      }
    }
  }

  /// Stores the profile, unless the user was deactivated or deleted since it was looked up.
  private func takeOver(
    _ command: SessionOpen, _ missingUser: ProfileAdoption.MissingUser, at now: Int64,
    _ completion: @escaping @Sendable (Result<User, ServiceError>) -> Void
  ) {
    let change = ProfileChange(
      command.userID, nickname: command.nickname, profileURL: command.profileURL,
      metadata: command.terms.metadata, at: now)
    store.perform(ProfileAdoption(change, missingUser: missingUser)) { result in
      completion(
        result.serviceResult.flatMap { outcome in
          switch outcome {
          case .adopted(let user): .success(user)
          case .deactivated: .failure(.deactivated(command.userID))
          case .missing: .failure(.notValidToken)
          }
        })
    }
  }
}

extension TokenRefusal {
  /// The kind of refusal of a token that was tried as a JSON Web Token and as an issued one.
  ///
  /// - Parameter isOthers: Whether it was issued to another user.
  fileprivate init(_ errors: [TokenError], isOthers: Bool) {
    let kinds = errors.map { TokenRefusal($0) }
    // A text of another form was meant to be an issued token.
    let isToken = { (kind: TokenRefusal) in kind != .malformed && kind != .tooLong }
    self = isOthers ? .user : kinds.first(where: isToken) ?? .unknown
  }
}

extension ServiceError {
  static let notValidToken = ServiceError.accessToken(
    "the access token is not valid for this user")
}

extension SessionOpen {
  /// Whether opening the session changes nothing about the user.
  fileprivate func agrees(with user: User) -> Bool {
    (nickname ?? user.nickname) == user.nickname
      && (profileURL ?? user.profileURL) == user.profileURL
      && (terms.metadata ?? user.metadata) == user.metadata
  }
}

extension Int64 {
  fileprivate func multipliedClamping(by factor: Int64) -> Int64 {
    let (product, isOverflow) = multipliedReportingOverflow(by: factor)
    return isOverflow ? .max : product
  }
}

/// The rights that a user's token grants.
struct TokenGrant: Sendable {
  let proof: TokenProof
  /// The expiry in Unix milliseconds; `nil` for a token that does not expire.
  let expiresAt: Int64?
  /// The number of the last ``Eviction`` of the user before the token was checked; 0 without any.
  let lastEviction: Int64
  /// The nickname that the token's issuer vouches for, if any.
  var nickname: String?
}
