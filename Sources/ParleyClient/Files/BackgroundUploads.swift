/// Files that the application uploads, for example by a background task of the system.
extension BaseChannel {
  /// Creates an upload whose bytes the application sends; the server sends the message after them.
  ///
  /// The file is opened to read its size only. The message is subject to the limits of the time when
  /// the upload ends: see ``UploadedFile/messageError``.
  ///
  /// - Parameter params: A file to upload, at a path for a background task.
  /// - Throws: ``ParleyError/unreadableFile(_:)``, also without a file to upload;
  ///   ``ParleyError/refused(code:message:field:)`` with 400111 for a file that is too large, or 400203
  ///   for too many unfinished uploads.
  public func createBackgroundUpload(
    params: FileMessageCreateParams
  ) async throws(ParleyError) -> BackgroundUpload {
    let order = order(params.values)
    guard let content = order.params.file else {
      throw .unreadableFile("the parameters have no file to upload")
    }
    let size = try await FileReader(content).size
    let created = try await core.performPatiently(
      FileCalls.create(order, size: size), waiting: \.pauseOfCalls)
    return BackgroundUpload(
      fileID: created.fileID, requestID: order.requestID, channelURL: url, size: size,
      request: try UploadRequest(to: created.url, core.engineConfiguration))
  }

  /// Creates an upload whose bytes the application sends; the server sends the message after them.
  ///
  /// - Parameter completionHandler: Called once, on the client's callback queue.
  public func createBackgroundUpload(
    params: FileMessageCreateParams,
    completionHandler: @escaping @Sendable (BackgroundUpload?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await createBackgroundUpload(params: params)
    }
  }
}

extension ParleyClient {
  /// Fetches the progress of an upload of the current user, and the outcome of its message.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` for a file that is unknown, another user's, or expired.
  public func uploadedFile(fileID: String) async throws(ParleyError) -> UploadedFile {
    try await core.perform(FileCalls.get(fileID: fileID))
  }

  /// Cancels an unfinished upload of the current user.
  ///
  /// - Returns: `false` if it was complete, cancelled or expired before.
  @discardableResult
  public func cancelUpload(fileID: String) async throws(ParleyError) -> Bool {
    try await core.perform(FileCalls.cancelled(fileID: fileID))
  }
}
