internal import ParleyProtocol

/// A file to send that is already available at a URL.
///
/// All that goes with a text goes with a file too, under the names of ``UserMessageCreateParams``:
///
///     var params = FileMessageCreateParams(fileURL: "https://files.example/plan.pdf")
///     params.fileName = "plan.pdf"
///     params.customType = "plan"
@dynamicMemberLookup
public struct FileMessageCreateParams: Sendable, Hashable {
  /// The http or https URL of the file; at most 2,048 characters.
  public var fileURL: String
  /// The file's name, at most 255 characters.
  public var fileName = ""
  /// The media type, such as `image/png`; at most 128 characters.
  public var mimeType = ""
  /// Bytes; 0 when it is not known.
  public var fileSize: Int64 = 0
  /// The parameters shared with text messages.
  private(set) var common: UserMessageCreateParams

  /// Begins with the file's address.
  ///
  /// - Parameter message: A text beside it, at most 5,000 characters; it may be empty.
  public init(fileURL: String, message: String = "") {
    self.fileURL = fileURL
    common = UserMessageCreateParams(message: message)
  }

  /// The parameters shared with text messages.
  public subscript<Value>(
    dynamicMember member: WritableKeyPath<UserMessageCreateParams, Value>
  ) -> Value {
    get { common[keyPath: member] }
    set { common[keyPath: member] = newValue }
  }

  func write(into writer: inout JSONWriter) {
    writer.member("message_type", "FILE")
    writer.member("url", fileURL)
    if !fileName.isEmpty { writer.member("file_name", fileName) }
    if !mimeType.isEmpty { writer.member("file_type", mimeType) }
    if fileSize != 0 { writer.member("file_size", fileSize) }
    common.write(into: &writer)
  }
}
