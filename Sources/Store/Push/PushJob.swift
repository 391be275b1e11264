package import ParleyProtocol

/// The users for whom a push job is.
package enum PushScope: Sendable, Hashable {
  /// The joined members of a group after an id, and of a message in an open channel those that it mentions.
  case members(after: String)
  case user(String)
  /// One device of a user: a second try.
  case token(userID: String, id: Int64)
}

/// A message that waits for being pushed.
///
/// A job has no list of users: they are judged when it is due.
package struct PushJob: Sendable, Hashable {
  /// The store's number of the job; of no meaning for one that is not stored yet.
  package var id: Int64
  package var channelID: Int64
  /// Empty when the channel was deleted.
  package var channelURL: String
  package var messageID: Int64
  package var scope: PushScope
  /// The time of the message in Unix milliseconds.
  package var createdAt: Int64
  /// Unix milliseconds.
  package var dueAt: Int64
  /// The number of tries that have failed.
  package var failures: Int
  /// Replaces the title and the body; `nil` for those that pushes have by themselves.
  package var template: PushMessageTemplate?

  package init(
    id: Int64 = 0, channelID: Int64, channelURL: String, messageID: Int64, scope: PushScope,
    createdAt: Int64, dueAt: Int64, failures: Int = 0, template: PushMessageTemplate? = nil
  ) {
    self.id = id
    self.channelID = channelID
    self.channelURL = channelURL
    self.messageID = messageID
    self.scope = scope
    self.createdAt = createdAt
    self.dueAt = dueAt
    self.failures = failures
    self.template = template
  }

  /// The part of the channels to which the job belongs.
  package var lane: OutboxLane { OutboxLane(ofChannel: channelURL) }
}

extension PushJob {
  /// Columns of the alias `j` of jobs and the alias `c` of their channels.
  static let columns: StoreStatement = """
    j.job_id, j.channel_id, c.url, j.message_id, j.user_id, j.token_id, j.after_id, j.created_at,
    j.due_at, j.failures, j.template
    """

  /// From `columns`.
  init(row: StoreRow) throws {
    let (userID, tokenID): (String?, Int64?) = (row[4], row[5])
    let scope: PushScope =
      switch (userID, tokenID) {
      case (let userID?, let id?): .token(userID: userID, id: id)
      case (let userID?, nil): .user(userID)
      case (nil, _): .members(after: row[6])
      }
    self.init(
      id: row[0], channelID: row[1], channelURL: row[2], messageID: row[3], scope: scope,
      createdAt: row[7], dueAt: row[8], failures: row[9],
      template: try StoredPushTemplate.template(inColumn: row[10]))
  }

  static let insertion: StoreStatement = """
    INSERT INTO push_jobs (lane, channel_id, message_id, user_id, token_id, after_id, created_at,
      due_at, failures, template)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  /// The values of ``insertion``.
  var values: StoreArguments {
    var (userID, tokenID, afterID): (String?, Int64?, String) = (nil, nil, "")
    switch scope {
    case .members(let after): afterID = after
    case .user(let id): userID = id
    case .token(let user, let id): (userID, tokenID) = (user, id)
    }
    return [
      lane.number, channelID, messageID, userID, tokenID, afterID, createdAt, dueAt, failures,
      template.map(StoredPushTemplate.column),
    ]
  }
}

/// A template as a column: JSON; `NULL` or empty for none.
struct StoredPushTemplate: StoredObject {
  var title: String?
  var body: String?

  init() {}

  mutating func list<Members: StoredMembers & ~Copyable>(
    in members: inout Members
  ) throws(Members.Failure) {
    try members.member("body", &body)
    try members.member("title", &title)
  }

  static func column(_ template: PushMessageTemplate) -> String {
    var stored = Self()
    (stored.title, stored.body) = (template.title, template.body)
    return StoredJSON.encode(stored)
  }

  static func template(inColumn text: String?) throws -> PushMessageTemplate? {
    guard let text, !text.isEmpty else { return nil }
    let stored = try StoredJSON.decode(Self.self, from: text)
    return PushMessageTemplate(title: stored.title, body: stored.body)
  }
}
