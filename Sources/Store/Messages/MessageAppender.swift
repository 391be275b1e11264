import GRDB
import ParleyProtocol

/// Writes new messages, by statements that are prepared once.
final class MessageAppender {
  private let connection: StoreConnection
  private var insert: Statement?
  private var advance: Statement?

  init(connection: StoreConnection) {
    self.connection = connection
  }

  /// - Throws: `StoreError.notFound(.channel)`, `.unstorableText`, or a constraint's database error
  ///   when the message id is taken; in each case nothing has changed.
  func append(_ message: NewMessage) throws -> AppendOutcome {
    try checkTexts(message)
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
    guard let seq = try insert(message, mentionedIDs: mentioned.map(\.id)) else {
      throw StoreError.notFound(.channel)
    }
    try advance(message, to: seq)
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

  private func checkTexts(_ message: NewMessage) throws(StoreError) {
    try message.text.checkStorable()
    try message.data.checkStorable()
    try message.customType.checkStorable()
    try message.requestID.checkStorable()
    try message.userID?.checkStorable()
    try message.upload?.name.checkStorable()
    try message.upload?.type.checkStorable()
  }

  /// - Returns: The message's `seq`; `nil` when there is no such channel.
  private func insert(_ message: NewMessage, mentionedIDs: [String]) throws -> Int64? {
    let statement = try insert ?? connection.statement(Self.insertion)
    insert = statement
    let metaArrays = message.metaArrays.map(StoredMetaArray.init)
    let tag = try message.openGraphTag.map { try StoredJSON.encode(StoredOpenGraphTag($0)) }
    let file = try message.file.map { try StoredJSON.encode(StoredFile($0)) }
    statement.setUncheckedArguments([
      message.channelID, message.id, message.type.rawValue, message.userID, message.text,
      message.data, message.customType, message.mentionType.rawValue,
      try StoredJSON.encodeUnlessEmpty(mentionedIDs), try StoredJSON.encodeUnlessEmpty(metaArrays),
      tag, message.requestID.isEmpty ? nil : message.requestID, message.createdAt,
      file, message.isOperatorMessage,
    ])
    return try Int64.fetchOne(statement)
  }

  private func advance(_ message: NewMessage, to seq: Int64) throws {
    let statement = try advance ?? connection.statement(Self.advancement)
    advance = statement
    statement.setUncheckedArguments([message.channelID, seq, message.createdAt])
    try statement.execute()
  }

  private static let insertion = """
    INSERT INTO messages (channel_id, seq, message_id, type, user_id, text, data, custom_type,
      mention_type, mentioned_users, metaarray, og_tag, req_id, created_at, file, is_operator)
    SELECT channel_id, last_seq + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15
    FROM channels WHERE channel_id = ?1
    RETURNING seq
    """

  private static let advancement = """
    UPDATE channels SET last_seq = ?2, last_created_at = max(last_created_at, ?3)
    WHERE channel_id = ?1
    """
}
