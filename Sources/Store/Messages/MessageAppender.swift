import Channels
import ParleyProtocol

/// The outcome of appending a message.
enum AppendOutcome: Sendable, Hashable {
  /// The message was stored; includes the mentioned users that exist, in the order given.
  case stored(seq: Int64, mentionedUsers: [User])
  /// The same request was executed before, with this result.
  case repeated(Message, seq: Int64)
}

/// Writes new messages in a transaction of the writer; confined to its thread.
protocol MessageAppending: AnyObject {
  /// Maximum number of messages for ``append(_:)``; 1 where a statement costs no round trip.
  var runLimit: Int { get }

  /// - Throws: `StoreError.notFound(.channel)`, or `.message` when the request's message was deleted;
  ///   `LogError.fenced`, `.outdatedFile`; `.unstorableText`; or a constraint error when the message id
  ///   is taken. In each case nothing was changed.
  func append(_ new: UnsequencedMessage, to channel: LogChannel) throws -> AppendOutcome

  /// Appends messages in order.
  ///
  /// - Returns: An outcome for each message; a refused one does not affect the others.
  /// - Throws: An error that means that the storage failed.
  func append(_ run: [MessageAddition]) throws -> [Result<AppendOutcome, any Error>]

  /// - Throws: `StoreError.notFound(.channel)`, or `LogError.fenced`.
  func lastSeq(of channel: LogChannel) throws -> Int64
}

/// A message with its channel.
struct MessageAddition {
  var new: UnsequencedMessage
  var channel: LogChannel
  /// ``LogSubmission/trace``.
  var trace: CallTrace?
}

/// Writes new messages one by one, with statements that are prepared once.
final class MessageAppender: MessageAppending {
  private let connection: StoreConnection
  private var statements: Statements?
  private var countingStatements: CountingStatements?
  private var jobInsertion: DirectStatement?
  /// The minutes to which the activity of channels was raised, so that other messages do nothing for it.
  private var activeMinutes: [Int64: Int64] = [:]
  private static let activeMinutesLimit = 10_000

  var runLimit: Int { 1 }

  private struct Statements {
    let lastSeq: DirectStatement
    let insertion: DirectStatement
    let advancement: DirectStatement
    let activity: DirectStatement
  }

  /// The statements for messages that take an ordinal, so that those of open channels do nothing for it.
  private struct CountingStatements {
    let lastOrdinal: DirectStatement
    let insertion: DirectStatement
    let advancement: DirectStatement
    let reading: DirectStatement
    let ownCount: DirectStatement
  }

  init(connection: StoreConnection) {
    self.connection = connection
  }

  func append(_ run: [MessageAddition]) throws -> [Result<AppendOutcome, any Error>] {
    try run.map { addition in
      do {
        return .success(try append(addition.new, to: addition.channel))
      } catch  where error.storageFailure == nil {
        return .failure(error)
      }
    }
  }

  func append(_ new: UnsequencedMessage, to channel: LogChannel) throws -> AppendOutcome {
    let last = try lastSeq(of: channel)
    if let upload = new.upload { try checkTexts(upload) }
    let message = new.message
    let reading = ReadTransaction(connection: connection)
    if !message.requestID.isEmpty,
      let first = try reading.findByRequestID(
        channelID: channel.id, userID: message.user?.id, requestID: message.requestID,
        since: message.createdAt - requestIDLifetimeMilliseconds)
    {
      return .repeated(first.message, seq: first.seq)
    }
    let mentioned = try reading.usersInOrder(new.mentionedUserIDs)
    // Reading it with RETURNING costs SQLite as much as the insertion itself.
    let seq = last + 1
    var ordinal: Int64?
    let push = connection.push.flatMap {
      MessagePush(new, mentionsUsers: !mentioned.isEmpty, in: channel, $0.options)
    }
    if new.isCounted || new.isSilent {
      ordinal = try count(
        new, in: channel, seq: seq, mentionedIDs: mentioned.map(\.id), push: push?.column)
    } else {
      try store(new, to: channel, seq: seq, mentionedIDs: mentioned.map(\.id))
    }
    if let file = new.upload {
      try FileRows.insert(
        file, shownAs: message.file, of: message.user?.id, inMessage: message.id,
        channelID: channel.id, at: message.createdAt, on: connection)
    }
    if connection.outbox?.wants(.messageReceived) == true, new.role != .imported {
      var shown = message
      shown.mentionedUsers = mentioned
      shown.ordinal = ordinal
      let origin = EventOrigin(channelURL: channel.url, seq: seq, timestamp: message.createdAt)
      try WriteTransaction(connection: connection)
        .queue(.messageReceived(EventMessage(shown)), from: origin)
    }
    if let push { try queue(push) }
    return .stored(seq: seq, mentionedUsers: mentioned)
  }

  private func queue(_ push: MessagePush) throws {
    let insertion = try jobInsertion ?? DirectStatement(Self.jobInsertion, on: connection)
    jobInsertion = insertion
    try insertion.bind(Int64(push.arrival.lane.number), at: 1)
    try insertion.bind(push.channelID, at: 2)
    try insertion.bind(push.messageID, at: 3)
    try insertion.bind(push.createdAt, at: 4)
    try insertion.bind(push.arrival.dueAt, at: 5)
    try insertion.bind(push.template, at: 6)
    try insertion.execute()
    connection.push?.add(push.arrival)
  }

  /// The file's row is written after the message's, whose own texts are checked as they are bound.
  private func checkTexts(_ upload: FileRecord) throws(StoreError) {
    try upload.name.checkStorable()
    try upload.type.checkStorable()
  }

  func lastSeq(of channel: LogChannel) throws -> Int64 {
    let statement = try prepared().lastSeq
    try statement.bind(channel.id, at: 1)
    try statement.bind(channel.term, at: 2)
    if let last = try statement.integer() {
      guard last >= channel.lastSeq else { throw LogError.fenced }
      return last
    }
    let url = try ReadTransaction(connection: connection).channelURL(channel.id)
    guard url == nil else { throw LogError.fenced }
    throw StoreError.notFound(.channel)
  }

  private func store(
    _ new: UnsequencedMessage, to channel: LogChannel, seq: Int64, mentionedIDs: [String]
  ) throws {
    let statements = try prepared()
    try bind(new, to: channel, seq: seq, mentionedIDs: mentionedIDs, statements.insertion)
    try statements.insertion.execute()
    try statements.advancement.bind(channel.id, at: 1)
    try statements.advancement.bind(seq, at: 2)
    try statements.advancement.bind(new.message.createdAt, at: 3)
    try statements.advancement.execute()
    try raiseActivity(of: channel.id, to: new.message.createdAt)
  }

  /// Raises the activity of an open channel, with its first message in a minute.
  private func raiseActivity(of channelID: Int64, to time: Int64) throws {
    let minute = time / ActivitySchema.minute
    guard activeMinutes[channelID] != minute else { return }
    let statement = try prepared().activity
    try statement.bind(channelID, at: 1)
    try statement.bind(time, at: 2)
    try statement.execute()
    if activeMinutes.count >= Self.activeMinutesLimit {
      activeMinutes.removeAll(keepingCapacity: true)
    }
    activeMinutes[channelID] = minute
  }

  /// Stores a message of a group.
  ///
  /// - Returns: Its ordinal.
  private func count(
    _ new: UnsequencedMessage, in channel: LogChannel, seq: Int64, mentionedIDs: [String],
    push: String?
  ) throws -> Int64 {
    let statements = try preparedForCounting()
    try statements.lastOrdinal.bind(channel.id, at: 1)
    let last = try statements.lastOrdinal.integer() ?? 0
    let ordinal = new.isCounted ? last + 1 : 0
    try bind(new, to: channel, seq: seq, mentionedIDs: mentionedIDs, statements.insertion)
    try statements.insertion.bind(ordinal, at: 19)
    try statements.insertion.bind(push, at: 20)
    try statements.insertion.execute()
    try statements.advancement.bind(channel.id, at: 1)
    try statements.advancement.bind(seq, at: 2)
    try statements.advancement.bind(new.message.createdAt, at: 3)
    try statements.advancement.bind(max(last, ordinal), at: 4)
    try statements.advancement.execute()
    if let readerID = new.readerID {
      try statements.reading.bind(channel.id, at: 1)
      try statements.reading.bind(readerID, at: 2)
      try statements.reading.bind(ordinal, at: 3)
      try statements.reading.bind(new.message.createdAt, at: 4)
      try statements.reading.execute()
    }
    if let authorID = new.unmovedAuthorID {
      try statements.ownCount.bind(channel.id, at: 1)
      try statements.ownCount.bind(authorID, at: 2)
      try statements.ownCount.execute()
    }
    if let message = DisregardedMessage(new, ordinal: ordinal, channelID: channel.id) {
      for write in message.writes { try connection.execute(write.statement, write.values) }
    }
    if let rows = MentionRows(new, mentionedIDs, ordinal: ordinal, channelID: channel.id) {
      for write in rows.writes { try connection.execute(write.statement, write.values) }
    }
    return ordinal
  }

  private func bind(
    _ new: UnsequencedMessage, to channel: LogChannel, seq: Int64, mentionedIDs: [String],
    _ insertion: DirectStatement
  ) throws {
    let message = new.message
    let metaArrays = message.metaArrays.map(StoredMetaArray.init)
    let tag = message.openGraphTag.map { StoredJSON.encode(StoredOpenGraphTag($0)) }
    let file = message.file.map { StoredJSON.encode(StoredFile($0, new.upload)) }
    try insertion.bind(channel.id, at: 1)
    try insertion.bind(seq, at: 2)
    try insertion.bind(message.id, at: 3)
    try insertion.bind(message.type.rawValue, at: 4)
    try insertion.bind(message.user?.id, at: 5)
    try insertion.bind(message.text, at: 6)
    try insertion.bind(message.data, at: 7)
    try insertion.bind(message.customType, at: 8)
    try insertion.bind(message.mentionType.rawValue, at: 9)
    try insertion.bind(StoredJSON.encodeUnlessEmpty(mentionedIDs), at: 10)
    try insertion.bind(StoredJSON.encodeUnlessEmpty(metaArrays), at: 11)
    try insertion.bind(tag, at: 12)
    try insertion.bind(message.requestID.isEmpty ? nil : message.requestID, at: 13)
    try insertion.bind(message.createdAt, at: 14)
    try insertion.bind(file, at: 15)
    try insertion.bind(message.isOperatorMessage ? 1 : 0, at: 16)
    try insertion.bind(StoredJSON.encodeUnlessEmpty(message.translations), at: 17)
    try insertion.bind(new.isFloodExempt ? 1 : 0, at: 18)
  }

  private func prepared() throws -> Statements {
    if let statements { return statements }
    let made = Statements(
      lastSeq: try DirectStatement(Self.lastSeq, on: connection),
      insertion: try DirectStatement(Self.insertion, on: connection),
      advancement: try DirectStatement(Self.advancement, on: connection),
      activity: try DirectStatement(Self.activity, on: connection))
    statements = made
    return made
  }

  private func preparedForCounting() throws -> CountingStatements {
    if let countingStatements { return countingStatements }
    let made = CountingStatements(
      lastOrdinal: try DirectStatement(Self.lastOrdinal, on: connection),
      insertion: try DirectStatement(Self.countingInsertion, on: connection),
      advancement: try DirectStatement(Self.countingAdvancement, on: connection),
      reading: try DirectStatement(Self.reading, on: connection),
      ownCount: try DirectStatement(Self.ownCount, on: connection))
    countingStatements = made
    return made
  }

  private static let lastOrdinal: StoreStatement =
    "SELECT last_ordinal FROM channels WHERE channel_id = ?"

  private static let lastSeq: StoreStatement =
    "SELECT last_seq FROM channels WHERE channel_id = ? AND term = ?"

  private static let columns = """
    channel_id, seq, message_id, type, user_id, text, data, custom_type, mention_type,
      mentioned_users, metaarray, og_tag, req_id, created_at, file, is_operator, translations,
      flood_exempt
    """

  private static let insertion: StoreStatement = """
    INSERT INTO messages (\(columns))
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let countingInsertion: StoreStatement = """
    INSERT INTO messages (\(columns), ordinal, push)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let jobInsertion: StoreStatement = """
    INSERT INTO push_jobs (lane, channel_id, message_id, created_at, due_at, template)
    VALUES (?, ?, ?, ?, ?, ?)
    """

  private static let advancement: StoreStatement = """
    UPDATE channels SET last_seq = ?2, last_created_at = max(last_created_at, ?3),
      message_count = message_count + 1
    WHERE channel_id = ?1
    """

  /// A statement of its own: SQLite rewrites the indexes of each column that is set, also to the same value.
  private static let activity: StoreStatement = """
    UPDATE channels SET active_at = ?2
    WHERE channel_id = ?1 AND is_group = 0
      AND active_at / \(Int(ActivitySchema.minute)) < ?2 / \(Int(ActivitySchema.minute))
    """

  private static let countingAdvancement: StoreStatement = """
    UPDATE channels SET last_seq = ?2, last_created_at = max(last_created_at, ?3),
      message_count = message_count + 1, last_ordinal = ?4, changed_at = \(.nextChange)
    WHERE channel_id = ?1
    """

  /// Moves the author's position to the message.
  private static let reading: StoreStatement = """
    UPDATE members SET read_ordinal = ?3, read_at = ?4, own_after = 0
    WHERE channel_id = ?1 AND user_id = ?2 AND state = \(MemberState.joined.stored)
    """

  /// Counts a message that does not move its author's position, although the author need not read it.
  private static let ownCount: StoreStatement = """
    UPDATE members SET own_after = own_after + 1
    WHERE channel_id = ?1 AND user_id = ?2 AND state = \(MemberState.joined.stored)
    """
}
