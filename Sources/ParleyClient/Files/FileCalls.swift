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
      params: {
        $0.member("size", size)
        if !params.fileName.isEmpty { $0.member("name", params.fileName) }
        if !params.mimeType.isEmpty { $0.member("type", params.mimeType) }
        if params.requireAuth { $0.member("require_auth", true) }
        params.thumbnailSizes.write(into: &$0)
        $0.member("req_id", requestID)
      },
      reading: { (node: JSONNode) throws(ParleyError) in
        UploadAddress(
          fileID: try AnswerReader.text("file_id", of: try AnswerReader.member("file", of: node)),
          url: try AnswerReader.text("upload_url", of: node))
      })
  }

  static func cancel(fileID: String) -> Call<Void> {
    Call(
      "file.cancel", .safe, params: { $0.member("file_id", fileID) },
      reading: { (_: JSONNode) throws(ParleyError) in })
  }
}
