internal import ParleyProtocol

/// Parses messages in responses and events.
struct MessageReader: Sendable {
  /// The keys of the files in the messages.
  let fileKeys: FileKeys

  /// Parses the member `message`.
  func message(of node: JSONNode) throws(ParleyError) -> any BaseMessage {
    try message(AnswerReader.member("message", of: node))
  }

  /// Parses a message of any kind.
  func message(_ node: JSONNode) throws(ParleyError) -> any BaseMessage {
    message(
      try AnswerReader.resource { () throws(ResourceError) in
        try ParleyProtocol.Message(json: node)
      })
  }

  func message(_ message: ParleyProtocol.Message) -> any BaseMessage {
    let record = MessageRecord(message)
    return switch message.type {
    case .user: UserMessage(record)
    case .file: FileMessage(record, message.file, openedBy: fileKeys)
    case .admin: AdminMessage(record: record)
    }
  }

  /// Parses the member `message`, which must be a user message.
  func userMessage(of node: JSONNode) throws(ParleyError) -> UserMessage {
    guard let message = try message(of: node) as? UserMessage else {
      throw .malformedAnswer("'message' is no user message")
    }
    return message
  }

  /// Parses the member `message`, which must be a file message.
  func fileMessage(of node: JSONNode) throws(ParleyError) -> FileMessage {
    guard let message = try message(of: node) as? FileMessage else {
      throw .malformedAnswer("'message' is no file message")
    }
    return message
  }

  /// Parses a list of messages, with the places before and after them.
  func page(_ node: JSONNode) throws(ParleyError) -> MessagePage {
    MessagePage(json: node, try AnswerReader.list("messages", of: node, message(_:)))
  }
}
