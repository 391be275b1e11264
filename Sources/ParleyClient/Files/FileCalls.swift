internal import ParleyProtocol

/// The place where the server takes the bytes of a file.
struct UploadAddress: Sendable, Hashable {
  let fileID: String
  /// Whoever knows it may write to the upload.
  let url: String
}

/// The upload of a sending, which keeps its name as long as it may exist.
struct NamedUpload: Sendable, Hashable {
  /// The `req_id` of its creation: a repetition gets the same upload again.
  let name: String
  /// `nil` until the server has answered.
  var address: UploadAddress?
}

/// The requests about files.
enum FileCalls {
  /// - Parameter requestID: Another for each upload: a repetition gets the same upload again.
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
