internal import ParleyProtocol

/// The address to which the bytes of a file are uploaded.
struct UploadAddress: Sendable, Hashable {
  let fileID: String
  /// Anyone with this URL can write to the upload.
  let url: String
}

/// The upload of a sending, which keeps its name for its whole lifetime.
struct NamedUpload: Sendable, Hashable {
  /// The `req_id` of its creation: a repeated request returns the same upload.
  let name: String
  /// `nil` until the server has responded.
  var address: UploadAddress?
}

/// The requests about files.
enum FileCalls {
  /// - Parameter requestID: Unique for each upload: a repeated request returns the same upload.
  static func create(
    _ params: FileMessageCreateParams.Values, size: Int64, requestID: String
  ) -> Call<UploadAddress> {
    Call(
      "file.create", .safe,
      params: { write(params, size: size, requestID: requestID, into: &$0) }, reading: address)
  }

  /// Creates an upload after which the server sends the message of an order.
  static func create(_ order: FileSendings.Order, size: Int64) -> Call<UploadAddress> {
    let params = order.params
    return Call(
      "file.create", .safe,
      params: {
        write(params, size: size, requestID: order.requestID, into: &$0)
        $0.name("message")
        $0.object {
          $0.member("channel_url", order.channelURL)
          $0.member("req_id", order.requestID)
          params.common.write(into: &$0)
        }
      }, reading: address)
  }

  private static func write(
    _ params: FileMessageCreateParams.Values, size: Int64, requestID: String,
    into writer: inout JSONWriter
  ) {
    writer.member("size", size)
    if !params.fileName.isEmpty { writer.member("name", params.fileName) }
    if !params.mimeType.isEmpty { writer.member("type", params.mimeType) }
    if params.requireAuth { writer.member("require_auth", true) }
    params.thumbnailSizes.write(into: &writer)
    writer.member("req_id", requestID)
  }

  private static func address(_ node: JSONNode) throws(ParleyError) -> UploadAddress {
    UploadAddress(
      fileID: try AnswerReader.text("file_id", of: try AnswerReader.member("file", of: node)),
      url: try AnswerReader.text("upload_url", of: node))
  }

  static func get(fileID: String) -> Call<UploadedFile> {
    Call(
      "file.get", .safe, params: { $0.member("file_id", fileID) },
      reading: { (node: JSONNode) throws(ParleyError) in
        try UploadedFile(AnswerReader.member("file", of: node))
      })
  }

  /// - Returns: Whether the upload was unfinished.
  static func cancelled(fileID: String) -> Call<Bool> {
    Call(
      "file.cancel", .safe, params: { $0.member("file_id", fileID) },
      reading: { (node: JSONNode) throws(ParleyError) in
        try AnswerReader.flag("cancelled", of: node)
      })
  }

  static func cancel(fileID: String) -> Call<Void> {
    Call(
      "file.cancel", .safe, params: { $0.member("file_id", fileID) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }
}
