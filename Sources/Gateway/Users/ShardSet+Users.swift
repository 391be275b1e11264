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
      let (shards, servers) = shard.homes(ofUsers: ids)
      shard.ask(.online(ids), of: shards, servers) { answers in
        var found: Set<String> = []
        for case .online(let ids) in answers { found.formUnion(ids) }
        answer(found)
      }
    }
  }
}

extension Shard {
  /// The shards of this server and the other servers that users are at home on.
  fileprivate func homes(ofUsers ids: [String]) -> ([ShardHandle], [UInt16]) {
    let shards = services.shards
    var (places, servers): (Set<Int>, Set<UInt16>) = ([], [])
    for id in ids {
      if let server = edge?.server(ofUser: id) {
        servers.insert(server)
      } else {
        places.insert(shards.home(ofUser: id).index)
      }
    }
    return (places.sorted().map { shards[$0] }, servers.sorted())
  }
}
