import ParleyProtocol

/// How far the deletion of a user has come.
package enum UserDeletion: Sendable, Hashable {
  /// The user is gone.
  case finished(UserTraces)
  /// The user had a part in many channels, or operates one, and is still there: delete it again, in a
  /// job of its own, so that other jobs get their turn.
  case unfinished(UserTraces)

  /// The parts in channels that this step took away.
  package var traces: UserTraces {
    switch self {
    case .finished(let traces), .unfinished(let traces): traces
    }
  }
}

/// The parts in channels that a user lost by its deletion.
package struct UserTraces: Sendable, Hashable {
  /// URLs of the channels that it no longer is banned from; they recorded no event.
  package var unbannedFrom: [String]
  /// URLs of the channels that it no longer is muted in; they recorded no event.
  package var unmutedIn: [String]
}

/// Deletes a user with its tokens, bans and mutes, as far as one step goes.
///
/// Its messages stay. A user who operates channels stays too, until these have taken the role back.
/// Error: `noUser`.
package struct UserDeletionStep: StoreWrite {
  package var userID: String

  package init(_ userID: String) {
    self.userID = userID
  }

  package var statements: WriteStatements<UserDeletion> {
    .init { try $0.deleteUser(userID) }
  }
}

/// Finds some of the channels that a user operates, by their URLs; none for a user that is not there.
package struct OperatedChannels: StoreLookup {
  package var userID: String

  package init(of userID: String) {
    self.userID = userID
  }

  package var statements: ReadStatements<[String]> {
    .init { try $0.channels(of: userID, in: "channel_operators") }
  }
}

extension WriteTransaction {
  /// Deletes a user with its tokens, bans and mutes, as far as one step goes.
  ///
  /// Its messages stay and show its id with empty names; a user made later under the same id takes
  /// them over. Those who mention it no longer do.
  ///
  /// - Returns: `.unfinished` while it operates a channel, or had more than 100 bans or mutes.
  /// - Throws: `StoreError.noUser`.
  func deleteUser(_ id: String) throws -> UserDeletion {
    guard try user(id) != nil else { throw StoreError.noUser(id) }
    let traces = UserTraces(
      unbannedFrom: try lift(.ban, of: id), unmutedIn: try lift(.mute, of: id))
    guard
      try ["channel_operators", "bans", "mutes"].allSatisfy({
        try channels(of: id, in: $0).isEmpty
      })
    else { return .unfinished(traces) }
    try expireUploads(of: id)
    try connection.execute("DELETE FROM users WHERE user_id = ?", [id])
    try announce(.eviction(userID: id, .deleted))
    return .finished(traces)
  }

  private func lift(_ kind: RestrictionKind, of userID: String) throws -> [String] {
    let urls = try channels(of: userID, in: kind.table)
    try connection.execute(
      """
      DELETE FROM \(kind.table) WHERE user_id = ? AND channel_id IN
        (SELECT channel_id FROM channels WHERE url \(.isAnyOf))
      """, [userID, StoreValue.texts(urls)])
    return urls
  }

}

extension StoreTransaction {
  /// Some of the channels that a table, one of the code's own, names with a user.
  fileprivate func channels(of userID: String, in table: String) throws -> [String] {
    try connection.all(
      """
      SELECT url FROM channels WHERE channel_id IN
        (SELECT channel_id FROM \(table) \(.index("\(table)_by_user")) WHERE user_id = ? LIMIT ?)
      """, [userID, userDeletionStep]
    ) { $0[0] as String }
  }
}

/// Rows of each kind that one step of a user's deletion removes.
private let userDeletionStep = 100
