/// A text of the channel's administration, which has no ``BaseMessage/sender``.
public struct AdminMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds.
  public let record: MessageRecord
}
