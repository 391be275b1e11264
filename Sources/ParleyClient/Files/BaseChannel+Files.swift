/// The maximum number of files of one call.
private let fileLimit = 20
/// The maximum number of parallel uploads of one call.
private let parallelUploads = 3

/// Sending files.
extension BaseChannel {
  /// Sends a file, and waits until the server has stored the message.
  ///
  /// A file at a URL is not uploaded: it must be available there. Other files are uploaded first;
  /// see ``sendingFileMessage(params:)`` for the progress.
  ///
  /// - Throws: See ``sendUserMessage(params:)``. An upload can also throw
  ///   ``ParleyError/unreadableFile(_:)``, ``ParleyError/connectionFailed(_:)`` and
  ///   ``ParleyError/refused(code:message:field:)``, for example for a file that is too large. A
  ///   failed sending can be repeated with ``resendFileMessage(_:)``.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams
  ) async throws(ParleyError) -> FileMessage {
    let values = params.values
    guard values.file == nil else { return try await sendUploaded(order(values)) }
    return try await core.perform(
      core.messageCalls.send(
        values, to: url, requestID: values.common.requestID ?? core.requestIDs.next()))
  }

  /// Sends a file, and reports the progress of its upload.
  ///
  /// After a lost connection the upload continues from the bytes that the server has. A failed
  /// sending can be repeated with ``resendFileMessage(_:progressHandler:completionHandler:)``.
  ///
  /// - Parameters:
  ///   - params: The file. A file that is already at a URL is not uploaded.
  ///   - progressHandler: Called on the client's callback queue.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The pending message, to be shown at once; replace it with the message of the same
  ///   ``BaseMessage/requestID`` that `completion` receives.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    start(order(params.values), progressHandler, completion: completion)
  }

  /// Cancels the upload of a file message.
  ///
  /// The sending fails with ``ParleyError/cancelled``.
  ///
  /// - Returns: Whether the upload was in progress; `false` if it was already complete, cancelled
  ///   or failed, or is unknown.
  @discardableResult
  public func cancelUploadingFileMessage(requestID: String) -> Bool {
    let (wasUploading, address) = core.files.cancel(requestID)
    if let address { core.start(FileCalls.cancel(fileID: address.fileID), completion: { _ in }) }
    return wasUploading
  }

  /// Repeats a failed sending, and waits until the message is stored.
  ///
  /// - Throws: See ``sendFileMessage(params:)``; ``ParleyError/notFound(_:)`` when no such sending
  ///   failed.
  @discardableResult
  public func resendFileMessage(_ message: FileMessage) async throws(ParleyError) -> FileMessage {
    guard let order = core.files.failed(message.requestID) else { throw .noFailedSending }
    return try await sendUploaded(order)
  }

  /// Starts to send a file.
  public func sendingFileMessage(params: FileMessageCreateParams) -> FileMessageSending {
    let order = order(params.values)
    let (progress, report) = FileMessageSending.makeProgress()
    let task = core.send(order) { report.yield($0) }
    return FileMessageSending(message(order, .pending), progress, report, task, self)
  }

  /// Starts to send up to 20 files in order; see
  /// ``sendFileMessages(params:progressHandler:sentMessageHandler:completionHandler:)``.
  public func sendingFileMessages(params: [FileMessageCreateParams]) -> [FileMessageSending] {
    let orders = params.map { order($0.values) }
    let streams = orders.map { _ in FileMessageSending.makeProgress() }
    let tasks = send(orders) { index in { streams[index].report.yield($0) } }
    return orders.indices.map { index in
      FileMessageSending(
        message(orders[index], .pending), streams[index].progress, streams[index].report,
        tasks[index], self)
    }
  }

  private func sendUploaded(
    _ order: FileSendings.Order
  ) async throws(ParleyError) -> FileMessage {
    let task = core.send(order) { _ in }
    return try await task.outcome.get()
  }

  /// Starts to send a file, and calls back with the outcome.
  ///
  /// - Returns: The pending message.
  func start(
    _ order: FileSendings.Order, _ progressHandler: (@Sendable (FileUploadProgress) -> Void)?,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    guard order.params.file != nil else {
      startWithoutUpload(order, completion: completion)
      return message(order, .pending)
    }
    let task = core.send(order, report: reporting(progressHandler))
    Task { [callbacks = core.callbacks] in
      let outcome = await task.value
      callbacks.run { completion(outcome) }
    }
    return message(order, .pending)
  }

  /// Sends a file that is at a URL, in order with the other messages.
  private func startWithoutUpload(
    _ order: FileSendings.Order,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) {
    let call = core.messageCalls.send(order.params, to: url, requestID: order.requestID)
    core.start(call) { [core] outcome in
      if case .failure = outcome { core.files.didFail(order) }
      completion(outcome)
    }
  }

  func send(
    _ orders: [FileSendings.Order],
    reporting report: (Int) -> @Sendable (FileUploadProgress) -> Void
  ) -> [Task<FileSendings.Outcome, Never>] {
    guard orders.count <= fileLimit else {
      return orders.map { _ in Task { .failure(.tooManyFiles(limit: fileLimit)) } }
    }
    let places = UploadPlaces(parallelUploads)
    var tasks: [Task<FileSendings.Outcome, Never>] = []
    for (index, order) in orders.enumerated() {
      let turn = tasks.last.map { task in Task { _ = await task.value } }
      tasks.append(
        core.send(order, in: places, after: turn, report: report(index)) { error in
          if case .tooManyMessages(let wait) = error { wait } else { nil }
        })
    }
    return tasks
  }

  func order(_ params: FileMessageCreateParams.Values) -> FileSendings.Order {
    let requestID = params.common.requestID ?? core.requestIDs.next()
    var params = params
    params.common.requestID = requestID
    return FileSendings.Order(params: params, channelURL: url, requestID: requestID)
  }

  /// Returns the pending or failed message of an order.
  func message(_ order: FileSendings.Order, _ status: SendingStatus) -> FileMessage {
    let record = MessageRecord(
      pending: order.params.common, in: url, by: core.currentUser, order.requestID)
    return FileMessage(pending: order.params, record, status)
  }

  func reporting(
    _ handler: (@Sendable (FileUploadProgress) -> Void)?
  ) -> @Sendable (FileUploadProgress) -> Void {
    guard let handler else { return { _ in } }
    return { [callbacks = core.callbacks] progress in callbacks.run { handler(progress) } }
  }
}

extension ParleyError {
  static let noFailedSending = ParleyError.notFound(
    "no file message of that request id has failed")

  fileprivate static func tooManyFiles(limit: Int) -> ParleyError {
    .refused(code: 400_203, message: "more than \(limit) files in one call", field: nil)
  }
}
