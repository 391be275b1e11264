internal import ParleyProtocol

/// A file that a user sent: its URL and its description.
///
/// The server stores the description given by the sender, and does not check the URL's content.
public struct FileMessage: BaseMessage, Hashable {
  /// The members of messages of all kinds; ``BaseMessage/message`` may be empty.
  public let record: MessageRecord
  /// The id of an uploaded file; empty for a file at another URL.
  public let fileID: String
  private let address: KeyedAddress
  /// The file's name; empty when the sender gave none.
  public let name: String
  /// The media type, such as `image/png`; empty when the sender gave none.
  public let type: String
  /// Bytes; 0 when the sender gave none.
  public let size: Int64
  /// Whether reading the file requires a key of a user who may read it.
  public let requireAuth: Bool
  /// Thumbnails of the file, in the order in which they were requested.
  ///
  /// An update of the message may add more.
  public let thumbnails: [Thumbnail]
  /// Whether the server has stored the message.
  public let sendingStatus: SendingStatus

  /// The http or https URL; empty while the file is being uploaded.
  ///
  /// The URL of a file that needs a key has the client's key as `?auth=`. It is the latest key when
  /// this property is read, so read it for each use, and do not share it: it opens all files that
  /// the user may read. A sender can make a URL name any host: if it is neither the connected
  /// server nor in ``ServerFeatures/Files/base``, this is the URL at the connected server.
  public var url: String { address.keyed }

  /// The same URL with the key in a header field, for requests by the application.
  public var request: FileRequest { address.request }

  /// The URL without a key: constant and the same for all users, for use in caches.
  public var plainURL: String { address.plain }
}

extension FileMessage {
  /// Creates a message from the server's representation.
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

  /// Creates a pending message.
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
