internal import ParleyProtocol

/// A file that a user sent: its address, and its description.
///
/// The server keeps the description that the sender gave, and looks at nothing at the address.
public struct FileMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds; ``BaseMessage/message`` may be empty.
  public let record: MessageRecord
  /// The id of an uploaded file; empty for one that is somewhere else.
  public let fileID: String
  private let address: KeyedAddress
  /// The file's name; empty when the sender gave none.
  public let name: String
  /// The media type, such as `image/png`; empty when the sender gave none.
  public let type: String
  /// Bytes; 0 when the sender gave none.
  public let size: Int64
  /// Whether reading the file takes a key of a user who may read it.
  public let requireAuth: Bool
  /// Small pictures of the file, in the order in which they were asked for.
  ///
  /// More may come by an update of the message.
  public let thumbnails: [Thumbnail]
  /// Whether the server has it.
  public let sendingStatus: SendingStatus

  /// The address, of http or https; empty while the file is uploaded.
  ///
  /// The address of a file that needs a key has the client's own as `?auth=`. It is the latest key at
  /// the time of reading this property, so read it again for each use, and give it to nobody: it
  /// opens all files that the user may read. A sender can make an address name any host: if it is neither
  /// the connected server nor in ``ServerFeatures/Files/base``, this is the address at the connected server.
  public var url: String { address.keyed }

  /// The same address with the key in a header field, for requests of the application's own.
  public var request: FileRequest { address.request }

  /// The address without a key: the same for everyone and at all times, for caches.
  public var plainURL: String { address.plain }
}

extension FileMessage {
  /// Creates a message from the server's form.
  init(_ record: MessageRecord, _ file: MessageFile?, openedBy keys: FileKeys) {
    let file = file ?? MessageFile(url: "")
    let needsKey = file.requiresAuthorization && !file.id.isEmpty
    self.init(
      record: record, fileID: file.id,
      address: KeyedAddress(file.url, openedBy: needsKey ? keys : nil), name: file.name,
      type: file.type, size: file.size, requireAuth: file.requiresAuthorization,
      thumbnails: file.thumbnails.map { Thumbnail($0, openedBy: needsKey ? keys : nil) },
      sendingStatus: .succeeded)
  }

  /// A message that is about to be sent.
  init(
    pending params: FileMessageCreateParams.Values, _ record: MessageRecord,
    _ sendingStatus: SendingStatus = .pending
  ) {
    self.init(
      record: record, fileID: "", address: KeyedAddress(params.fileURL, openedBy: nil),
      name: params.fileName, type: params.mimeType, size: params.fileSize,
      requireAuth: params.requireAuth, thumbnails: [], sendingStatus: sendingStatus)
  }
}
