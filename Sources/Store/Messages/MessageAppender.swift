import GRDB
import ParleyProtocol

/// Writes new messages, by statements that are prepared once.
final class MessageAppender {
  private let connection: StoreConnection
  private var statements: Statements?

  private struct Statements {
    let lastSeq: DirectStatement
    let insertion: DirectStatement
    let advancement: DirectStatement
  }

  init(connection: StoreConnection) {
    self.connection = connection
  }

  /// - Throws: `StoreError.notFound(.channel)`, `.unstorableText`, or a constraint's database error
  ///   when the message id is taken; in each case nothing has changed.
  func append(_ message: NewMessage) throws -> AppendOutcome {
    if let upload = message.upload { try checkTexts(upload) }
    let reading = ReadTransaction(connection: connection)
    if !message.requestID.isEmpty,
      let first = try reading.findByRequestID(
        channelID: message.channelID, userID: message.userID, requestID: message.requestID,
        since: message.createdAt - requestIDLifetimeMilliseconds)
    {
      return .repeated(first.message, seq: first.seq)
    }
    let mentioned = try reading.usersInOrder(message.mentionedUserIDs)
    // Before anything is written: it may be refused.
    let told = try toldMessage(message, mentioned: mentioned)
    let seq = try store(message, mentionedIDs: mentioned.map(\.id))
    if let file = message.upload {
      try FileRows.insert(
        file, messageID: message.id, channelID: message.channelID, at: message.createdAt,
        on: connection)
    }
    if let told {
      try WriteTransaction(connection: connection).queueArrival(of: told, seq: seq)
    }
    return .stored(seq: seq, mentionedUsers: mentioned)
  }

  /// The message as webhooks are told it; `nil` when they are not.
  private func toldMessage(_ message: NewMessage, mentioned: [User]) throws -> Message? {
    guard connection.outbox?.wants(.messageReceived) == true else { return nil }
    let reading = ReadTransaction(connection: connection)
    guard let channelURL = try reading.channelURL(message.channelID) else { return nil }
    let author = try message.userID.map { try reading.user($0) ?? User(id: $0) }
    return Message(
      id: message.id, type: message.type, channelURL: channelURL, user: author,
      text: message.text, file: message.file, data: message.data, customType: message.customType,
      mentionType: message.mentionType, mentionedUsers: mentioned, metaArrays: message.metaArrays,
      openGraphTag: message.openGraphTag, requestID: message.requestID,
      isOperatorMessage: message.isOperatorMessage, createdAt: message.createdAt)
  }

  /// The file's row is written behind the message's, whose own texts are checked as they are bound.
  private func checkTexts(_ upload: FileRecord) throws(StoreError) {
    try upload.name.checkStorable()
    try upload.type.checkStorable()
  }

  /// - Returns: The message's `seq`.
  private func store(_ message: NewMessage, mentionedIDs: [String]) throws -> Int64 {
    let statements = try prepared()
    try statements.lastSeq.bind(message.channelID, at: 1)
    guard let last = try statements.lastSeq.integer() else { throw StoreError.notFound(.channel) }
    // Asking for it with RETURNING costs SQLite as much as the insertion itself.
    let seq = last + 1
    try bind(message, seq: seq, mentionedIDs: mentionedIDs, to: statements.insertion)
    try statements.insertion.execute()
    try statements.advancement.bind(message.channelID, at: 1)
    try statements.advancement.bind(seq, at: 2)
    try statements.advancement.bind(message.createdAt, at: 3)
    try statements.advancement.execute()
    return seq
  }

  private func bind(
    _ message: NewMessage, seq: Int64, mentionedIDs: [String], to insertion: DirectStatement
  ) throws {
    let metaArrays = message.metaArrays.map(StoredMetaArray.init)
    let tag = try message.openGraphTag.map { try StoredJSON.encode(StoredOpenGraphTag($0)) }
    let file = try message.file.map { try StoredJSON.encode(StoredFile($0, message.upload)) }
    try insertion.bind(message.channelID, at: 1)
    try insertion.bind(seq, at: 2)
    try insertion.bind(message.id, at: 3)
    try insertion.bind(message.type.rawValue, at: 4)
    try insertion.bind(message.userID, at: 5)
    try insertion.bind(message.text, at: 6)
    try insertion.bind(message.data, at: 7)
    try insertion.bind(message.customType, at: 8)
    try insertion.bind(message.mentionType.rawValue, at: 9)
    try insertion.bind(try StoredJSON.encodeUnlessEmpty(mentionedIDs), at: 10)
    try insertion.bind(try StoredJSON.encodeUnlessEmpty(metaArrays), at: 11)
    try insertion.bind(tag, at: 12)
    try insertion.bind(message.requestID.isEmpty ? nil : message.requestID, at: 13)
    try insertion.bind(message.createdAt, at: 14)
    try insertion.bind(file, at: 15)
    try insertion.bind(message.isOperatorMessage ? 1 : 0, at: 16)
  }

  private func prepared() throws -> Statements {
    if let statements { return statements }
    let made = Statements(
      lastSeq: try DirectStatement(Self.lastSeq, on: connection),
      insertion: try DirectStatement(Self.insertion, on: connection),
      advancement: try DirectStatement(Self.advancement, on: connection))
    statements = made
    return made
  }

  private static let lastSeq = "SELECT last_seq FROM channels WHERE channel_id = ?"

  private static let insertion = """
    INSERT INTO messages (channel_id, seq, message_id, type, user_id, text, data, custom_type,
      mention_type, mentioned_users, metaarray, og_tag, req_id, created_at, file, is_operator)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  private static let advancement = """
    UPDATE channels SET last_seq = ?2, last_created_at = max(last_created_at, ?3),
      message_count = message_count + 1
    WHERE channel_id = ?1
    """
}
