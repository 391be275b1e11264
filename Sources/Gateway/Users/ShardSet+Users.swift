import ParleyProtocol
import ShardMessages
import Store

/// Changes of users that reach their sessions on any shard, from any thread.
extension ShardSet {
  /// Notifies a user's sessions of a change; one who was deactivated is put out.
  func userDidChange(_ account: Account) {
    let user = account.user
    if account.isActive {
      send(.user(id: user.id, .update(user)))
    } else {
      closeSessions(of: user.id, reason: "the user is deactivated")
    }
  }

  /// Closes all of a user's sessions with 4002.
  func closeSessions(of userID: String, reason: String) {
    send(.user(id: userID, .expel(reason: reason)))
  }

  /// Closes those of a user's sessions with 4002 that live by a kind of token that was revoked.
  func closeSessions(of userID: String, openedWith proof: TokenProof, reason: String) {
    send(.user(id: userID, .revoke(proof, reason: reason)))
  }
}

extension ReturnPath {
  /// Finds out which users have a session, by asking their homes; on any thread.
  ///
  /// - Parameter answer: Called once, on the shard.
  func online(among ids: [String], _ answer: @escaping @Sendable (Set<String>) -> Void) {
    resume { shard in
      let shards = shard.services.shards
      let homes = Set(ids.map { shards.home(ofUser: $0).index }).sorted()
      shard.ask(.online(ids), of: homes.map { shards[$0] }) { answers in
        var found: Set<String> = []
        for case .online(let ids) in answers { found.formUnion(ids) }
        answer(found)
      }
    }
  }
}
