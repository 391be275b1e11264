internal import ParleyProtocol

/// A file to send: one to upload, or one that is available at a URL.
///
///     let params = FileMessageCreateParams(file: .path("/tmp/plan.png"))
///     params.mimeType = "image/png"
///
/// The parameters of ``UserMessageCreateParams`` are available for files too, under the same names:
///
///     let params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
///     params.fileName = "plan.pdf"
///     params.customType = "plan"
@dynamicMemberLookup
public final class FileMessageCreateParams: Sendable {
  private let shared: SharedValues<Values>

  /// The http or https URL of the file, at most 2,048 characters; empty for a file to upload.
  public var fileURL: String {
    get { shared[\.fileURL] }
    set { shared[\.fileURL] = newValue }
  }

  /// The bytes to upload; `nil` for a file at a URL.
  public var file: FileContent? {
    get { shared[\.file] }
    set { shared[\.file] = newValue }
  }

  /// The file's name, at most 255 characters.
  public var fileName: String {
    get { shared[\.fileName] }
    set { shared[\.fileName] = newValue }
  }

  /// The media type, such as `image/png`; at most 128 characters.
  public var mimeType: String {
    get { shared[\.mimeType] }
    set { shared[\.mimeType] = newValue }
  }

  /// The size in bytes; 0 if unknown.
  ///
  /// The size of an uploaded file is measured.
  public var fileSize: Int64 {
    get { shared[\.fileSize] }
    set { shared[\.fileSize] = newValue }
  }

  /// Whether reading the uploaded file requires a key of a participant.
  public var requireAuth: Bool {
    get { shared[\.requireAuth] }
    set { shared[\.requireAuth] = newValue }
  }

  /// Up to three sizes for which the server makes thumbnails of an uploaded image or video.
  public var thumbnailSizes: [ThumbnailSize] {
    get { shared[\.thumbnailSizes] }
    set { shared[\.thumbnailSizes] = newValue }
  }

  private let common: UserMessageCreateParams

  /// Creates parameters with the file's URL.
  ///
  /// - Parameter message: A text with the file, at most 5,000 characters; may be empty.
  public init(fileURL: String, message: String = "") {
    shared = SharedValues(Values(fileURL: fileURL))
    common = UserMessageCreateParams(message: message)
  }

  /// Creates parameters with the bytes of a file, which are uploaded before the message is sent.
  ///
  /// For a file at a path, the file name and the media type are derived from the path, unless
  /// ``fileName`` and ``mimeType`` are set.
  ///
  /// - Parameter message: A text with the file, at most 5,000 characters; may be empty.
  public init(file: FileContent, message: String = "") {
    shared = SharedValues(
      Values(
        fileURL: "", file: file, fileName: file.name,
        mimeType: MediaTypes.type(ofName: file.name), fileSize: file.knownSize ?? 0))
    common = UserMessageCreateParams(message: message)
  }

  /// The parameters shared with text messages.
  public subscript<Value>(
    dynamicMember member: ReferenceWritableKeyPath<UserMessageCreateParams, Value>
  ) -> Value {
    get { common[keyPath: member] }
    set { common[keyPath: member] = newValue }
  }

  /// A snapshot of the current values.
  var values: Values {
    var values = shared.current
    values.common = common.values
    return values
  }

  /// A snapshot of the values.
  struct Values: Sendable, Hashable {
    var fileURL: String
    var file: FileContent?
    var fileName = ""
    var mimeType = ""
    var fileSize: Int64 = 0
    var requireAuth = false
    var thumbnailSizes: [ThumbnailSize] = []
    /// The parameters shared with text messages.
    var common = UserMessageCreateParams.Values(message: "")

    /// - Parameter fileID: The id of the uploaded file; `nil` for one at a URL.
    func write(uploadedAs fileID: String?, into writer: inout JSONWriter) {
      writer.member("message_type", "FILE")
      if let fileID { writer.member("file_id", fileID) } else { writer.member("url", fileURL) }
      if fileID != nil { thumbnailSizes.write(into: &writer) }
      if !fileName.isEmpty { writer.member("file_name", fileName) }
      if !mimeType.isEmpty { writer.member("file_type", mimeType) }
      if fileSize != 0, fileID == nil { writer.member("file_size", fileSize) }
      common.write(into: &writer)
    }
  }
}
