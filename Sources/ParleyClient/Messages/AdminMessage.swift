/// A text of the channel's administration, which has no ``BaseMessage/sender``.
public struct AdminMessage: BaseMessage, Hashable {
  /// What messages of all kinds have.
  public let record: MessageRecord
}
