import Channels
import ParleyProtocol
import PostgreSQL

/// The rows that a run of messages adds, and the statements that insert them.
struct MessageRows {
  typealias Query = PostgreSQLConnection.Query

  /// Up to this many rows, a statement for each is cheaper; beyond it, one statement for all.
  private static let separateLimit = 30

  var messages: [Row] = []
  var requests: [(RequestKey, messageID: Int64, createdAt: Int64)] = []
  /// Files that came with messages, with their authors.
  var files: [(FileRecord, userID: String, Row)] = []
  /// Files of users in messages.
  var keptFiles: [(fileID: String, Row)] = []
  /// Events for webhooks.
  var outbox: [OutboxRow] = []
  /// The messages among them that are pushed.
  var pushes: [MessagePush] = []
  /// The messages among them that are unread for no member.
  var disregarded: [DisregardedMessage] = []
  /// The mentions in them.
  var mentions: [MentionRows] = []
  /// The last messages of authors in groups.
  private var lastOwn: [Author: (ordinal: Int64, createdAt: Int64)] = [:]
  /// The numbers of messages that did not move their authors' positions, after those that did.
  private var unmovedCounts: [Author: Int64] = [:]

  private struct Author: Hashable {
    let channelID: Int64
    let userID: String
  }

  /// A row of the table of messages.
  struct Row {
    let channelID: Int64
    let messageID: Int64
    let createdAt: Int64
    /// `nil` in an open channel.
    fileprivate let ordinal: Int64?
    fileprivate let integers: [Int64?]
    fileprivate let texts: [String?]
    /// See ``MessagePush/column``.
    fileprivate let push: String?

    /// - Throws: `StoreError.unstorableText`.
    init(
      _ new: UnsequencedMessage, _ channel: LogChannel, seq: Int64, ordinal: Int64?,
      mentionedIDs: [String], push: String?
    ) throws {
      let message = new.message
      (channelID, messageID, createdAt) = (channel.id, message.id, message.createdAt)
      self.ordinal = ordinal
      self.push = push
      integers = [
        channel.id, seq, message.id, message.createdAt, message.isOperatorMessage ? 1 : 0,
        new.isFloodExempt ? 1 : 0,
      ]
      texts = [
        message.type.rawValue, message.user?.id, message.text, message.data, message.customType,
        message.mentionType.rawValue, StoredJSON.encodeUnlessEmpty(mentionedIDs),
        StoredJSON.encodeUnlessEmpty(message.metaArrays.map(StoredMetaArray.init)),
        message.openGraphTag.map { StoredJSON.encode(StoredOpenGraphTag($0)) },
        message.requestID.isEmpty ? nil : message.requestID,
        message.file.map { StoredJSON.encode(StoredFile($0, new.upload)) },
        StoredJSON.encodeUnlessEmpty(message.translations),
      ]
      for text in texts { try text?.checkStorable() }
    }
  }

  /// Notes that an author has read up to its own message.
  mutating func noteReading(
    by userID: String, of ordinal: Int64, at createdAt: Int64, channelID: Int64
  ) {
    let author = Author(channelID: channelID, userID: userID)
    lastOwn[author] = (ordinal, createdAt)
    unmovedCounts[author] = nil
  }

  /// Notes a message that does not move its author's position, although the author need not read it.
  mutating func noteUnmoved(by userID: String, channelID: Int64) {
    unmovedCounts[Author(channelID: channelID, userID: userID), default: 0] += 1
  }

  /// Moves the positions of authors to their last messages, and counts their messages that move none.
  var readings: [Query] {
    var queries: [Query] = []
    if !lastOwn.isEmpty {
      let (authors, places) = (Array(lastOwn.keys), Array(lastOwn.values))
      queries.append(
        Query(
          Self.reading,
          [
            .integers(authors.map(\.channelID)), .texts(authors.map(\.userID)),
            .integers(places.map(\.ordinal)), .integers(places.map(\.createdAt)),
          ]))
    }
    if !unmovedCounts.isEmpty {
      let authors = Array(unmovedCounts.keys)
      queries.append(
        Query(
          Self.ownCount,
          [
            .integers(authors.map(\.channelID)), .texts(authors.map(\.userID)),
            .integers(Array(unmovedCounts.values)),
          ]))
    }
    return queries
  }

  private static let reading = """
    UPDATE members AS m SET read_ordinal = n.ordinal, read_at = n.created_at, own_after = 0
    FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[])
      AS n (channel_id, user_id, ordinal, created_at)
    WHERE m.channel_id = n.channel_id AND m.user_id = n.user_id
      AND m.state = \(MemberState.joined.stored)
    """

  private static let ownCount = """
    UPDATE members AS m SET own_after = m.own_after + n.count
    FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS n (channel_id, user_id, count)
    WHERE m.channel_id = n.channel_id AND m.user_id = n.user_id
      AND m.state = \(MemberState.joined.stored)
    """

  /// Whether a message is one of a group.
  var haveOrdinals: Bool { messages.contains { $0.ordinal != nil } }

  /// Statements that insert all rows except the events for webhooks.
  var insertions: [Query] {
    var queries: [Query] = []
    if messages.count <= Self.separateLimit {
      queries += messages.map { row in
        let values =
          row.integers.map { $0.map(PostgreSQLValue.integer) ?? .null }
          + row.texts.map { $0.map(PostgreSQLValue.text) ?? .null }
        guard let ordinal = row.ordinal else { return Query(Self.messageInsertion, values) }
        let push = row.push.map(PostgreSQLValue.text) ?? .null
        return Query(Self.countedMessageInsertion, values + [.integer(ordinal), push])
      }
    } else if haveOrdinals {
      let ordinals = PostgreSQLValue.integers(messages.map(\.ordinal))
      let pushes = PostgreSQLValue.texts(messages.map(\.push))
      queries.append(Query(Self.countedMessagesInsertion, messageColumns + [ordinals, pushes]))
    } else {
      queries.append(Query(Self.messagesInsertion, messageColumns))
    }
    if !requests.isEmpty {
      queries.append(
        Query(
          Self.requestsInsertion,
          [
            .integers(requests.map(\.0.channelID)), .texts(requests.map(\.0.userID)),
            .texts(requests.map(\.0.name)), .integers(requests.map(\.messageID)),
            .integers(requests.map(\.createdAt)),
          ]))
    }
    queries += files.map(Self.fileInsertion)
    return queries
      + (files.map { ($0.0.id, $0.2) } + keptFiles.map { ($0.0, $0.1) }).map(Self.holderInsertion)
  }

  /// The statement that inserts the push jobs; `nil` for none.
  var pushJobs: Query? {
    guard !pushes.isEmpty else { return nil }
    return Query(
      Self.pushJobsInsertion,
      [
        .integers(pushes.map { Int64($0.arrival.lane.number) }),
        .integers(pushes.map(\.channelID)),
        .integers(pushes.map(\.messageID)), .integers(pushes.map(\.createdAt)),
        .integers(pushes.map(\.arrival.dueAt)), .texts(pushes.map(\.template)),
      ])
  }

  private static let pushJobsInsertion = """
    INSERT INTO push_jobs (lane, channel_id, message_id, created_at, due_at, template)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[],
      $6::text[])
    """

  private var messageColumns: [PostgreSQLValue] {
    messages[0].integers.indices.map { column in .integers(messages.map { $0.integers[column] }) }
      + messages[0].texts.indices.map { column in .texts(messages.map { $0.texts[column] }) }
  }

  private static let columns = """
    channel_id, seq, message_id, created_at, is_operator, flood_exempt, type, user_id, text, data,
      custom_type, mention_type, mentioned_users, metaarray, og_tag, req_id, file, translations
    """

  private static let values = """
    $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18
    """

  private static let arrays = """
    $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::text[],
      $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[],
      $15::text[], $16::text[], $17::text[], $18::text[]
    """

  private static let messageInsertion =
    "INSERT INTO messages (\(columns)) VALUES (\(values))"

  private static let countedMessageInsertion =
    "INSERT INTO messages (\(columns), ordinal, push) VALUES (\(values), $19, $20)"

  private static let messagesInsertion =
    "INSERT INTO messages (\(columns)) SELECT * FROM unnest(\(arrays))"

  private static let countedMessagesInsertion = """
    INSERT INTO messages (\(columns), ordinal, push)
    SELECT * FROM unnest(\(arrays), $19::bigint[], $20::text[])
    """

  /// A request that is too old to be repeated is replaced by the new one; otherwise the insertion fails.
  private static let requestsInsertion = """
    WITH made AS (
      INSERT INTO requests AS r (channel_id, user_id, req_id, message_id, created_at)
      SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
      ON CONFLICT (channel_id, user_id, req_id)
      DO UPDATE SET message_id = excluded.message_id, created_at = excluded.created_at
      WHERE r.created_at <= excluded.created_at - \(requestIDLifetimeMilliseconds)
      RETURNING 1)
    SELECT 1 / (count(*) = cardinality($1))::int FROM made
    """

  private static func fileInsertion(_ file: FileRecord, of userID: String, in row: Row) -> Query {
    Query(
      """
      INSERT INTO files (file_id, user_id, name, type, size, created_at, key_id, file_keys)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      [
        .text(file.id), .text(userID), .text(file.name), .text(file.type), .integer(file.size),
        .integer(row.createdAt), file.seal.map { .text($0.masterKeyID) } ?? .null,
        file.seal.map { .bytes($0.keys) } ?? .null,
      ])
  }

  private static func holderInsertion(_ fileID: String, in row: Row) -> Query {
    Query(
      "INSERT INTO file_messages (message_id, file_id, channel_id) VALUES ($1, $2, $3)",
      [.integer(row.messageID), .text(fileID), .integer(row.channelID)])
  }
}
