import ParleyProtocol

/// Adds jobs for the messages that users have missed on connections that were lost without a close: the newest
/// 20 unread ones of the groups that a user has joined.
///
/// Outcome: the number of jobs; 0 for users without a device.
package struct MissedPushes: StoreWrite {
  package var userIDs: [String]
  /// The last sign of life of the users' connections, in Unix milliseconds.
  package var since: Int64
  /// The time from which messages are pushed without this, in Unix milliseconds.
  package var end: Int64
  /// Unix milliseconds.
  package var time: Int64

  package init(of userIDs: [String], since: Int64, until end: Int64 = .max, at now: Int64) {
    self.userIDs = userIDs
    self.since = since
    self.end = end
    time = now
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<Int> {
    .init { transaction in
      var count = 0
      for userID in userIDs {
        for job in try transaction.missedPushes(of: userID, self) {
          try transaction.queue(job)
          transaction.connection.push?.add(PushArrival(lane: job.lane, dueAt: job.dueAt))
          count += 1
        }
      }
      return count
    }
  }
}

extension WriteTransaction {
  private static var limit: Int { 20 }

  /// The jobs in the order of their messages.
  fileprivate func missedPushes(of userID: String, _ missed: MissedPushes) throws -> [PushJob] {
    let hasToken = try connection.first(
      "SELECT 1 FROM push_tokens WHERE user_id = ? LIMIT 1", [userID]
    ) { _ in true }
    guard hasToken == true else { return [] }
    let newest = try connection.all(
      """
      SELECT messages.message_id, messages.channel_id, channels.url, messages.created_at,
        messages.push
      FROM members \(.index("members_by_user")) CROSS JOIN channels CROSS JOIN groups
      CROSS JOIN messages \(.index("messages_by_time"))
      WHERE members.user_id = ?1 AND members.state = \(MemberState.joined.stored)
        AND channels.channel_id = members.channel_id AND channels.last_created_at >= ?2
        AND groups.channel_id = members.channel_id
        AND messages.channel_id = members.channel_id
        AND messages.created_at >= ?2 AND messages.created_at < ?4
        AND messages.created_at >= members.visible_from AND messages.ordinal > \(.readUpTo)
        AND messages.push IS NOT NULL AND (messages.user_id IS NULL OR messages.user_id <> ?1)
      ORDER BY messages.created_at DESC, messages.message_id DESC LIMIT ?3
      """, [userID, missed.since, Self.limit, missed.end]
    ) { row in
      PushJob(
        channelID: row[1], channelURL: row[2], messageID: row[0], scope: .user(userID),
        createdAt: row[3], dueAt: missed.time,
        template: try StoredPushTemplate.template(inColumn: row[4]))
    }
    return newest.reversed()
  }
}
