/// A text that a user sent.
public struct UserMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds.
  public let record: MessageRecord
  /// Whether the server has it.
  public let sendingStatus: SendingStatus

  init(_ record: MessageRecord, _ sendingStatus: SendingStatus = .succeeded) {
    self.record = record
    self.sendingStatus = sendingStatus
  }

  /// The preview that its sender made itself, if ``BaseMessage/data`` holds one.
  public var urlPreview: URLPreviewPayload? {
    guard customType == URLPreviewPayload.messageCustomType else { return nil }
    return URLPreviewPayload(encoded: data)
  }
}

/// How far the sending of a message has come.
public enum SendingStatus: Sendable, Hashable {
  /// It is under way: ``BaseMessage/messageID`` and the times are 0, ``BaseMessage/requestID`` names
  /// it.
  case pending
  /// The server has stored it.
  case succeeded
}
