/// A file that a user sent.
///
/// The server of this version takes none; other versions, and back ends, may.
public struct FileMessage: BaseMessage, Hashable {
  /// What messages of all kinds have.
  public let record: MessageRecord
}
