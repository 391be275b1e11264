import ParleyProtocol
import Store
import Transport
import WebSocket

/// What is done with users wherever they have sessions, from any thread.
extension ShardSet {
  /// Lets a user's sessions know of a change; one who was deactivated is put out.
  func userDidChange(_ account: Account) {
    let user = account.user
    if account.isActive {
      home(ofUser: user.id).post { $0.users.update(user) }
    } else {
      closeSessions(of: user.id, reason: "the user is deactivated")
    }
  }

  /// Closes all of a user's sessions with 4002.
  func closeSessions(of userID: String, reason: String) {
    home(ofUser: userID).post { $0.users.expel(userID, reason: reason) }
  }

  /// Closes those of a user's sessions with 4002 that live by a kind of token that was revoked.
  func closeSessions(of userID: String, openedWith proof: TokenGrant.Proof, reason: String) {
    home(ofUser: userID).post { $0.users.revoke(proof, of: userID, reason: reason) }
  }

  /// Finds out which users have a session.
  ///
  /// - Parameter answer: Called once, on one of the shards.
  func online(
    among ids: [String], _ answer: @escaping @Sendable (Set<String>) -> Void
  ) {
    gather { shard in
      ids.filter { shard.users.isOnline($0) }
    } then: { found in
      answer(Set(found.joined()))
    }
  }

  /// Asks every shard in turn.
  ///
  /// - Parameter answer: Gets what they said, in their order; called once, on the last shard.
  func gather<Part: Sendable>(
    _ ask: @escaping @Sendable (Shard) -> Part,
    then answer: @escaping @Sendable ([Part]) -> Void
  ) {
    gather(known: [], ask, then: answer)
  }

  private func gather<Part: Sendable>(
    known: [Part], _ ask: @escaping @Sendable (Shard) -> Part,
    then answer: @escaping @Sendable ([Part]) -> Void
  ) {
    guard known.count < count else { return answer(known) }
    self[known.count].post { shard in
      gather(known: known + [ask(shard)], ask, then: answer)
    }
  }
}
