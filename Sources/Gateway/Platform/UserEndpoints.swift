import Channels
import ParleyProtocol
import Store

/// Users themselves, below `/v3/users`.
enum UserEndpoints {
  /// `POST /users`.
  static func create(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let profile = try UserProfile(body)
    let userID = try body.userID()
    try NormalForm.require(userID, "user_id")
    let metadata = try body.userMetadata() ?? [:]
    let now = call.services.clock.now
    let token = profile.newToken()
    let user = User(
      id: userID, nickname: profile.nickname ?? "", profileURL: profile.profileURL ?? "",
      metadata: metadata)
    let creation = UserCreation(user, accessTokenHash: token?.digest, at: now)
    call.services.store.perform(creation) { result in
      let created = result.mapError { error in
        error == .exists ? .exists(.user, userID) : ServiceError(error)
      }
      completion(created) { $0.encode(token: token, onlineIDs: [], into: &$1) }
    }
  }

  /// `GET /users`: a page of users.
  static func list(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let query = try UserQuery(call.query)
    let services = call.services
    let (caller, path) = (call.caller, call.shard.returnPath)
    services.store.perform(UserListing(query, as: AccountMeasure()), for: caller.principal) {
      result, cost in
      caller.pay(cost, to: services)
      switch result.serviceResult {
      case .failure(let error): completion.fail(error)
      case .success(let page):
        path.online(among: page.items.map(\.user.id)) { online in
          completion(.success(page.encoded(onlineIDs: online)))
        }
      }
    }
  }

  /// `GET /users/{id}`.
  static func view(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let path = call.shard.returnPath
    call.services.store.perform(AccountLookup(userID)) { result in
      show(result.serviceResult.existing(userID), token: nil, path, completion)
    }
  }

  /// `PUT /users/{id}`: changes the given members.
  ///
  /// Deactivating a user closes the user's sessions.
  static func update(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let body = try call.body
    let profile = try UserProfile(body)
    let isActive = try body.boolean("is_active")
    let token = profile.newToken()
    let (services, path) = (call.services, call.shard.returnPath)
    let change = UserChange(
      userID, nickname: profile.nickname, profileURL: profile.profileURL, isActive: isActive,
      accessTokenHash: token?.digest)
    services.store.perform(change) { result in
      if case .success(let account) = result {
        services.userDidChange(account)
        if token != nil { services.closeSessions(of: userID, .accessTokenReplaced) }
      }
      show(result.serviceResult, token: token, path, completion)
    }
  }

  /// `DELETE /users/{id}`: deletes a user with its roles, bans and mutes.
  ///
  /// Its messages stay.
  static func delete(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let removal = UserRemoval(
      userID: try call.userID, services: call.services, path: call.shard.returnPath)
    removal.proceed { completion.empty($0) }
  }

  private static func show(
    _ result: Result<Account, ServiceError>, token: IssuedSecret?, _ path: ReturnPath,
    _ completion: Completion
  ) {
    switch result {
    case .failure(let error): completion.fail(error)
    case .success(let account):
      path.online(among: [account.user.id]) { online in
        completion { account.encode(token: token, onlineIDs: online, into: &$0) }
      }
    }
  }
}

/// The members of a user's profile that a request contains.
private struct UserProfile: Sendable {
  let nickname: String?
  let profileURL: String?
  private let wantsToken: Bool

  init(_ body: Fields) throws(ServiceError) {
    try body.refuse(UnsupportedMember.ofUsers)
    nickname = try body.name("nickname", limit: Limits.nicknameLength)
    profileURL = try body.webURL("profile_url", limit: Limits.profileURLLength)
    wantsToken = try body.boolean("issue_access_token") ?? false
  }

  /// The access token to issue, if the request asks for one.
  func newToken() -> IssuedSecret? { wantsToken ? IssuedSecret() : nil }
}

extension UserQuery {
  fileprivate init(_ query: Fields) throws(ServiceError) {
    self.init(
      ids: try query.userIDs("user_ids", limit: Limits.userFilterCount) ?? [],
      nickname: try query.text("nickname", limit: Limits.nicknameLength),
      nicknamePrefix: try query.text("nickname_startswith", limit: Limits.nicknameLength),
      activeMode: try query.choice("active_mode", of: UserQuery.ActiveMode.self) ?? .all,
      limit: try query.pageSize(), token: try query.pageToken())
  }
}

/// Keeps accounts unencoded: the answer shows who is online, which is known only later.
struct AccountMeasure: PageEncoder {
  func encode(_ account: Account) -> PageItem<Account> {
    PageItem(account, byteCount: account.maximumByteCount)
  }
}

extension Account {
  /// Writes the user as the Platform API shows it, with times in seconds.
  ///
  /// - Parameter token: The token that this request has issued.
  func encode(
    token: IssuedSecret?, onlineIDs: Set<String>, into writer: inout JSONWriter
  ) {
    let isOnline = onlineIDs.contains(user.id)
    writer.object {
      $0.member("user_id", user.id)
      $0.member("nickname", user.nickname)
      $0.member("profile_url", user.profileURL)
      $0.member("access_token", token?.text ?? "")
      $0.member("is_active", isActive)
      $0.member("is_online", isOnline)
      $0.member("last_seen_at", isOnline ? 0 : lastSeenAt)
      $0.member("metadata", user.metadata)
      $0.member("created_at", createdAt / 1000)
    }
  }
}

extension Account {
  /// The maximum encoded size in bytes, whether the user is online or not.
  fileprivate var maximumByteCount: Int {
    let offline = JSONWriter.bytes { encode(token: nil, onlineIDs: [], into: &$0) }
    return offline.count
  }
}

extension ListPage<Account> {
  func encoded(onlineIDs: Set<String>) -> [UInt8] {
    JSONWriter.bytes(reserving: items.count * 256 + 64) { writer in
      writer.object {
        $0.member(
          "users",
          array: {
            for account in items { account.encode(token: nil, onlineIDs: onlineIDs, into: &$0) }
          })
        $0.member("next", next)
      }
    }
  }
}
