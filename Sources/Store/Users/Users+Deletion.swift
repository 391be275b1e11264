import Channels

/// How far the deletion of a user has come.
package enum UserDeletion: Sendable, Hashable {
  /// The user is gone.
  case finished(UserTraces)
  /// The user had a part in many channels and is still there: delete it again, in a job of its own,
  /// so that other jobs get their turn.
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
  /// Channels in which it no longer is an operator, each with its event.
  package var operatorChanges: [ChannelMutation]
  /// URLs of the channels that it no longer is banned from; they recorded no event.
  package var unbannedFrom: [String]
  /// URLs of the channels that it no longer is muted in; they recorded no event.
  package var unmutedIn: [String]
}

/// Deletes a user with its tokens, operator roles, bans and mutes, as far as one step goes.
///
/// Its messages stay. Error: `noUser`.
package struct UserDeletionStep: StoreWrite {
  package var userID: String
  /// Unix milliseconds, the time of the events that it causes.
  package var time: Int64

  package init(_ userID: String, at time: Int64) {
    self.userID = userID
    self.time = time
  }

  package var statements: WriteStatements<UserDeletion> {
    .init { try $0.deleteUser(userID, at: time) }
  }
}

extension WriteTransaction {
  /// Deletes a user with its tokens, operator roles, bans and mutes, as far as one step goes.
  ///
  /// Its messages stay and show its id with empty names; a user made later under the same id takes
  /// them over. Those who mention it no longer do. Each channel that it was an operator of records
  /// `channel.operators_changed`.
  ///
  /// - Returns: `.unfinished` while it had more than 100 roles, bans or mutes.
  /// - Throws: `StoreError.noUser`.
  func deleteUser(_ id: String, at timestamp: Int64) throws -> UserDeletion {
    guard try user(id) != nil else { throw StoreError.noUser(id) }
    let traces = UserTraces(
      operatorChanges: try channels(of: id, in: "channel_operators").map {
        try removeOperators($0, [id], at: timestamp)
      },
      unbannedFrom: try lift(.ban, of: id), unmutedIn: try lift(.mute, of: id))
    guard
      try ["channel_operators", "bans", "mutes"].allSatisfy({
        try channels(of: id, in: $0).isEmpty
      })
    else { return .unfinished(traces) }
    try connection.execute("DELETE FROM users WHERE user_id = ?", [id])
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

  /// Some of the channels that a table, one of the code's own, names with a user.
  private func channels(of userID: String, in table: String) throws -> [String] {
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
