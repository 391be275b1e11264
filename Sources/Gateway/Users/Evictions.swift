import ParleyProtocol
import Channels
import Store
import HTTP

/// The loss of the right that a user's sessions depend on.
struct Eviction: Sendable {
  /// The number of the announcement.
  ///
  /// A session whose right was checked later stays open. On a single server the number is greater than
  /// all others, because sessions are closed before their right can be checked again.
  let number: Int64
  /// The kind of void token; `nil` when all kinds are void.
  let proof: TokenProof?
  let reason: String

  /// Creates an eviction on a single server.
  init(of proof: TokenProof, reason: String) {
    (number, self.proof, self.reason) = (.max, proof, reason)
  }

  init(_ cause: EvictionCause, number: Int64 = .max) {
    self.number = number
    switch cause {
    case .deactivated: (proof, reason) = (nil, "the user is deactivated")
    case .deleted: (proof, reason) = (nil, "the user was deleted")
    case .sessionTokensRevoked:
      (proof, reason) = (nil, "the user's session tokens were revoked")
    case .accessTokenReplaced:
      (proof, reason) = (.accessToken, "the access token was replaced")
    }
  }
}

/// Evictions by user, in the order of their numbers.
struct EvictionList: Sendable {
  private var users: [String: [Eviction]] = [:]

  var isEmpty: Bool { users.isEmpty }

  mutating func add(_ eviction: Eviction, of userID: String) {
    users[userID, default: []].append(eviction)
  }

  subscript(userID: String) -> [Eviction] { users[userID] ?? [] }
}

extension GatewayServices {
  /// Closes the sessions of a user that have lost their right through a change of the store, with 4002.
  ///
  /// On any thread.
  func closeSessions(of userID: String, _ cause: EvictionCause) {
    // In a cluster the change was announced to all servers, and each closes its own sessions.
    guard controlLog == nil else { return didAnnounce() }
    let eviction = Eviction(cause)
    let message: UserMessage =
      eviction.proof.map { .revoke($0, reason: eviction.reason) } ?? .expel(reason: eviction.reason)
    shards.send(.user(id: userID, message))
  }

  /// Notifies a user's sessions of a change.
  ///
  /// The sessions of a deactivated user are closed.
  func userDidChange(_ account: Account) {
    guard account.isActive else { return closeSessions(of: account.user.id, .deactivated) }
    shards.send(.user(id: account.user.id, .update(account.user)))
  }
}

extension Shard {
  /// Closes the sessions of this shard that have lost their right.
  func evict(_ evictions: EvictionList) {
    for session in sessions.all {
      guard let userID = session.userID else { continue }
      for eviction in evictions[userID] { session.evict(eviction) }
    }
  }

  /// Makes all clients open their sessions again, because it is unknown which have lost their right.
  func authenticateAnew() {
    for session in sessions.all where session.userID != nil {
      session.close(.goingAway, reason: "the session has to be opened again")
    }
  }
}
