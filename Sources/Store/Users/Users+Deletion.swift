import ParleyProtocol

/// The progress of the deletion of a user.
package enum UserDeletion: Sendable, Hashable {
  /// The user was deleted.
  case finished(UserTraces)
  /// The user had many bans, mutes or blocks, operates a channel or is a member of one, and still exists:
  /// call the deletion again, in a separate job, so that other jobs get their turn.
  case unfinished(UserTraces)

  /// The restrictions in channels that this step removed.
  package var traces: UserTraces {
    switch self {
    case .finished(let traces), .unfinished(let traces): traces
    }
  }
}

/// The restrictions in channels that a user lost by its deletion.
package struct UserTraces: Sendable, Hashable {
  /// URLs of the channels in which it is no longer banned; no event was recorded for them.
  package var unbannedFrom: [String]
  /// URLs of the channels in which it is no longer muted; no event was recorded for them.
  package var unmutedIn: [String]
}

/// Deletes a user with its tokens, bans, mutes and blocks, within the limit of one step.
///
/// Its messages are kept. A user who operates channels or is a member of groups is kept too, until the
/// role and the membership are removed there.
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

/// Finds some of the channels that a user operates or is a member of, joined or invited, by URL; none for a
/// user that does not exist.
package struct ChannelsToLeave: StoreLookup {
  package var userID: String

  package init(of userID: String) {
    self.userID = userID
  }

  package var statements: ReadStatements<[String]> {
    .init {
      let operated = try $0.channels(of: userID, in: "channel_operators")
      let groups = try $0.channels(of: userID, in: "members")
      return operated + groups.filter { !operated.contains($0) }
    }
  }
}

extension WriteTransaction {
  /// Deletes a user with its tokens, bans, mutes and blocks, within the limit of one step.
  ///
  /// Its messages are kept and show its id with empty names; a user created later with the same id takes
  /// them over. Messages that mentioned the user no longer do. Reports by it lose its id and its words.
  ///
  /// - Returns: `.unfinished` while it operates a channel or is a member of one, or had more than 100 bans,
  ///   mutes, blocks of others, blocks by others or mentions in groups.
  /// - Throws: `StoreError.noUser`.
  func deleteUser(_ id: String) throws -> UserDeletion {
    // Another server may be adding the user to a channel.
    let isThere = try connection.first(
      "SELECT 1 FROM users WHERE user_id = ? \(.forRemoval)", [id]
    ) { _ in true }
    guard isThere == true else { throw StoreError.noUser(id) }
    let traces = UserTraces(
      unbannedFrom: try lift(.ban, of: id), unmutedIn: try lift(.mute, of: id))
    guard
      try ["channel_operators", "members", "bans", "mutes"].allSatisfy({
        try channels(of: id, in: $0).isEmpty
      })
    else { return .unfinished(traces) }
    guard try removeBlocks(byAndOf: id, limit: userDeletionStep),
      try removeMentions(of: id, limit: userDeletionStep)
    else { return .unfinished(traces) }
    try forgetReporter(id)
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
  /// Some of the channels that a table lists for a user; the table's name is written in the code.
  fileprivate func channels(of userID: String, in table: String) throws -> [String] {
    try connection.all(
      """
      SELECT c.url FROM \(table) AS t \(.index("\(table)_by_user")) CROSS JOIN channels AS c
      WHERE t.user_id = ? AND c.channel_id = t.channel_id LIMIT ?
      """, [userID, userDeletionStep]
    ) { $0[0] as String }
  }
}

/// Maximum number of rows of each kind that one step of a user's deletion removes.
private let userDeletionStep = 100
