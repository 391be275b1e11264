import Crypto
import HTTP1
import ParleyProtocol
import Store

/// Users as such, below `/v3/users`.
extension PlatformCall {
  /// `POST /users`.
  func createUser() throws(ServiceError) -> Work {
    let profile = try UserProfile(request.parameters)
    let userID = try request.parameters.userID()
    try NormalForm.require(userID, "user_id")
    let metadata = try request.parameters.metadata() ?? [:]
    try metadata.checkUserByteCount()
    let now = node.services.clock.now
    let token = profile.newToken()
    return { reply in
      node.services.store.write {
        let account = try $0.createUser(
          userID, nickname: profile.nickname ?? "", profileURL: profile.profileURL ?? "",
          metadata: metadata, at: now)
        if let token { try $0.setAccessTokenHash(token.digest, userID: userID) }
        return account
      } completion: { result in
        let created = result.mapError { error in
          error as? StoreError == .exists ? .exists(.user, userID) : ServiceError(error)
        }
        reply(
          created.encoded { account, writer in
            account.encode(token: token, onlineIDs: [], into: &writer)
          })
      }
    }
  }

  /// `GET /users`: a page of users.
  func listUsers() throws(ServiceError) -> Work {
    let query = UserQuery(
      ids: try request.userIDs("user_ids"),
      nickname: try request.text("nickname", limit: Limits.nicknameLength),
      nicknamePrefix: try request.text("nickname_startswith", limit: Limits.nicknameLength),
      limit: try request.pageSize(), token: try request.pageToken())
    let services = node.services
    let caller = request.caller
    return { reply in
      services.store.query(for: caller.principal) {
        try $0.listUsers(query) { PageItem($0, byteCount: $0.maximumByteCount) }
      } completion: { result, cost in
        caller.pay(cost, to: services)
        guard case .success(let page) = result.serviceResult else {
          return reply(result.serviceResult.map { _ in [] })
        }
        services.cluster.online(among: page.items.map(\.user.id)) { online in
          reply(.success(page.encoded(onlineIDs: online)))
        }
      }
    }
  }

  /// `GET /users/{id}`.
  func viewUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 0)
    let cluster = node.services.cluster
    return { reply in
      node.services.store.lookUp {
        guard let account = try $0.account(userID) else {
          throw ServiceError.notFound(.user, userID)
        }
        return account
      } completion: { result in
        Self.show(result.serviceResult, token: nil, cluster, reply)
      }
    }
  }

  /// `PUT /users/{id}`: changes what is given; a user who is deactivated is put out.
  func updateUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 0)
    let profile = try UserProfile(request.parameters)
    let isActive = try request.parameters.boolean("is_active")
    let token = profile.newToken()
    let cluster = node.services.cluster
    return { reply in
      node.services.store.write {
        try $0.change(userID, profile, isActive: isActive, token)
      } completion: { result in
        if case .success(let account) = result {
          cluster.userDidChange(account)
          if token != nil {
            cluster.closeSessions(
              of: userID, openedWith: .accessToken, reason: "the access token was replaced")
          }
        }
        Self.show(result.serviceResult, token: token, cluster, reply)
      }
    }
  }

  /// `DELETE /users/{id}`: with its roles, bans and mutes; its messages stay.
  func deleteUser() throws(ServiceError) -> Work {
    let userID = try userID(at: 0)
    let removal = UserRemoval(userID: userID, services: node.services)
    return { reply in removal.proceed { reply($0.encodedEmpty) } }
  }

  private static func show(
    _ result: Result<Account, ServiceError>, token: IssuedSecret?, _ cluster: Cluster,
    _ reply: @escaping Reply
  ) {
    guard case .success(let account) = result else { return reply(result.map { _ in [] }) }
    cluster.online(among: [account.user.id]) { online in
      reply(
        .success(
          JSONWriter.bytes { account.encode(token: token, onlineIDs: online, into: &$0) }))
    }
  }
}

/// What a request says of a user.
struct UserProfile: Sendable {
  let nickname: String?
  let profileURL: String?
  private let wantsToken: Bool

  init(_ parameters: Parameters) throws(ServiceError) {
    nickname = try parameters.name("nickname", limit: Limits.nicknameLength)
    profileURL = try parameters.webURL("profile_url", limit: Limits.profileURLLength)
    wantsToken = try parameters.boolean("issue_access_token") ?? false
  }

  /// The access token to issue, if one is asked for.
  func newToken() -> IssuedSecret? { wantsToken ? IssuedSecret() : nil }
}

extension WriteTransaction {
  fileprivate func change(
    _ userID: String, _ profile: UserProfile, isActive: Bool?, _ token: IssuedSecret?
  ) throws -> Account {
    var account = try updateUser(
      userID, nickname: profile.nickname, profileURL: profile.profileURL)
    if let isActive {
      if isActive { try activateUser(userID) } else { try deactivateUser(userID) }
      account.isActive = isActive
    }
    if let token { try setAccessTokenHash(token.digest, userID: userID) }
    return account
  }
}
