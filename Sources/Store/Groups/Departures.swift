import ParleyProtocol

/// The groups that users are no longer in, for their lists of changes.
extension WriteTransaction {
  /// Notes users who were members of a group, and forgets what is too old to be listed.
  ///
  /// - Parameter timestamp: Unix milliseconds.
  func noteDepartures(of userIDs: [String], from url: String, at timestamp: Int64) throws {
    let ids = StoreValue.texts(userIDs)
    try connection.execute(
      """
      INSERT INTO departures (user_id, url, changed_at)
      SELECT user_id, ?, \(.nextChange) FROM users WHERE user_id \(.isAnyOf)
      ON CONFLICT (user_id, url) DO UPDATE SET changed_at = excluded.changed_at
      """, [url, ids])
    try connection.execute(
      "DELETE FROM departures WHERE user_id \(.isAnyOf) AND changed_at < ?",
      [ids, GroupChangeList.oldest(at: timestamp) * 1_000])
  }

  /// Notes the members of a group that is about to be deleted.
  func noteDepartures(ofMembersOf channelID: Int64, _ url: String) throws {
    try connection.execute(
      """
      INSERT INTO departures (user_id, url, changed_at)
      SELECT user_id, ?, \(.nextChange) FROM members WHERE channel_id = ?
      ON CONFLICT (user_id, url) DO UPDATE SET changed_at = excluded.changed_at
      """, [url, channelID])
  }
}
