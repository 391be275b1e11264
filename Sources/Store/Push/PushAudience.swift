import Channels
package import ParleyProtocol
package import Push

/// Reads a message and the users to whom it may have to be pushed: those of a job who have a device.
///
/// Users without a device are not read. A page of members takes two statements, and a third one if the message
/// mentions users.
package struct PushAudience: StoreQuery {
  /// A user with its devices, or with that of the job.
  package struct Recipient: Sendable, Hashable {
    /// With the preferences, and without the sessions, which the store does not know.
    package var recipient: PushRecipient
    package var tokens: [StoredPushToken]
  }

  package struct Page: Sendable, Hashable {
    /// `nil` when the message or its channel was deleted.
    package var message: Message?
    /// The facts about the message that decide; `nil` like the message.
    package var facts: PushMessageFacts?
    /// Empty for a channel without a name.
    package var channelName = ""
    /// By id of the user.
    package var recipients: [Recipient] = []
    /// The member after whom the following page begins; `nil` for the last page.
    package var next: String?
  }

  package var job: PushJob
  /// The maximum number of members that are looked at.
  package var limit: Int

  package init(of job: PushJob, limit: Int = 500) {
    self.job = job
    self.limit = limit
  }

  package var statements: ReadStatements<Page> {
    .init { transaction in
      var page = PushAudience.Page()
      guard let subject = try transaction.pushSubject(of: job) else { return page }
      page.message = subject.message
      page.facts = subject.facts
      page.channelName = subject.channelName
      try transaction.readAudience(of: job, limit: limit, into: &page)
      return page
    }
  }
}

/// A message that is to be pushed.
private struct PushSubject {
  var message: Message
  var channelName: String
  var facts: PushMessageFacts
}

extension StoreTransaction {
  fileprivate func pushSubject(of job: PushJob) throws -> PushSubject? {
    let found = try connection.first(
      """
      SELECT m.*, c.name, c.url, \(User.columns)
      FROM (SELECT \(StoredMessage.columns), push, channel_id FROM messages \(.primaryKey)
        WHERE message_id = ? AND channel_id = ?) AS m
      JOIN channels AS c ON c.channel_id = m.channel_id
      LEFT JOIN users ON users.user_id = m.user_id
      """, [job.messageID, job.channelID]
    ) { row in
      (
        stored: try StoredMessage(row: row, channelURL: row[22], fileURL: connection.fileURL),
        isPushed: !row.isNull(19), name: row[21] as String,
        author: row.isNull(23) ? nil : try User(row: row, connection.fileURL, from: 23)
      )
    }
    guard let found else { return nil }
    var users = try users(found.stored.mentionedIDs)
    if let author = found.author { users[author.id] = author }
    let message = found.stored.sequenced(users).message
    var facts = PushMessageFacts(message)
    switch facts.kind {
    // The messages of open channels do not record it.
    case .open: facts.sendsAdminPush = true
    case .group:
      facts.sendsAdminPush = found.isPushed
      if !found.isPushed, facts.type != .admin { facts.pushOption = .suppress }
    }
    return PushSubject(message: message, channelName: found.name, facts: facts)
  }

  fileprivate func readAudience(
    of job: PushJob, limit: Int, into page: inout PushAudience.Page
  ) throws {
    guard let message = page.message else { return }
    let (users, values) = Self.audience(of: job, message, limit: limit)
    let (tokens, tokenID) = job.scope.tokenCondition
    let rows = try connection.rows(
      """
      SELECT page.user_id, page.state, page.visible_from, page.read_ordinal, page.push_trigger,
        users.is_active, users.push_preferences,
        CASE WHEN EXISTS (SELECT 1 FROM blocks
          WHERE blocks.user_id = t.user_id AND blocks.blocked_id = ?) THEN 1 ELSE 0 END,
        \(StoredPushToken.columns)
      FROM (\(users)) AS page
      LEFT JOIN push_tokens AS t ON t.user_id = page.user_id\(tokens)
      LEFT JOIN users ON users.user_id = t.user_id
      ORDER BY page.user_id, t.token_id
      """, [message.user?.id] + values + tokenID)
    var last: ExactText?
    var count = 0
    while let row = try rows.next() {
      let userID = ExactText(row[0])
      let isFirst = userID != last
      last = userID
      if isFirst { count += 1 }
      guard let token = try StoredPushToken(row: row, from: 8) else { continue }
      if isFirst {
        page.recipients.append(.init(recipient: try PushRecipient(row: row), tokens: []))
      }
      let index = page.recipients.count - 1
      page.recipients[index].tokens.append(token)
      page.recipients[index].recipient.tokenCount += 1
    }
    if case .members = job.scope, message.channelKind == .group, count >= limit {
      page.next = last?.text
    }
  }

  /// The users of a job, whether they have a device or not.
  private static func audience(
    of job: PushJob, _ message: Message, limit: Int
  ) -> (sql: StoreStatement, values: StoreArguments) {
    switch message.channelKind {
    case .open:
      let ids = message.mentionedUsers.map(\.id)
      let (condition, value) = job.scope.userCondition
      return (
        """
        SELECT user_id, NULL AS state, 0 AS visible_from, 0 AS read_ordinal, 0 AS push_trigger
        FROM users WHERE user_id \(.isAnyOf) AND \(condition)
        """, [StoreValue.texts(ids), value]
      )
    case .group:
      let (condition, value) = job.scope.userCondition
      return (
        """
        SELECT user_id, state, visible_from,
          \(.greater("read_ordinal", "floor_ordinal")) AS read_ordinal, push_trigger
        FROM members WHERE channel_id = ? AND \(condition) AND state = \(MemberState.joined.stored)
        ORDER BY user_id LIMIT ?
        """, [job.channelID, value, limit]
      )
    }
  }
}

extension PushScope {
  /// The condition on the ids of users, with its value.
  fileprivate var userCondition: (StoreStatement, String) {
    switch self {
    case .members(let after): ("user_id > ?", after)
    case .user(let id), .token(let id, _): ("user_id = ?", id)
    }
  }

  /// The condition on devices, with its value.
  fileprivate var tokenCondition: (StoreStatement, StoreArguments) {
    switch self {
    case .members, .user: ("", [])
    case .token(_, let id): (" AND t.token_id = ?", [id])
    }
  }
}

extension PushRecipient {
  /// From the first columns of an audience.
  fileprivate init(row: StoreRow) throws {
    self.init(
      userID: row[0], state: (row[1] as Int?).flatMap { MemberState(stored: $0) }, tokenCount: 0)
    visibleFrom = row[2]
    readOrdinal = row[3]
    channelTrigger = ChannelPushTriggerOption(stored: row[4])
    isDeactivated = row[5] as Int == 0
    preferences = try PushPreferences(column: row[6])
    blocksAuthor = row[7]
  }
}
