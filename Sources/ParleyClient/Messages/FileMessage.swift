/// A file that a user sent: where it is, and what is said of it.
///
/// The server keeps what its sender told and looks at nothing behind the address.
public struct FileMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds; ``BaseMessage/message`` may be empty.
  public let record: MessageRecord
  /// The address, of http or https.
  public let url: String
  /// The file's name; empty when it was not told.
  public let name: String
  /// The media type, such as `image/png`; empty when it was not told.
  public let type: String
  /// Bytes; 0 when it was not told.
  public let size: Int64
  /// Whether the server has it.
  public let sendingStatus: SendingStatus
}
