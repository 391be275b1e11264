/// Sending files whose bytes go to the server first.
extension OpenChannel {
  /// The most files of one call.
  private static let fileLimit = 20
  /// The most files of one call that are uploaded at the same time.
  private static let parallelUploads = 3

  /// Sends a file, and waits until the server has stored the message.
  ///
  /// A file at a URL is not uploaded: it must be available there. The bytes of another are uploaded
  /// first; see ``sendingFileMessage(params:)`` for its progress.
  ///
  /// - Throws: See ``sendUserMessage(params:)``. For an upload also
  ///   ``ParleyError/unreadableFile(_:)``, ``ParleyError/connectionFailed(_:)`` and
  ///   ``ParleyError/refused(code:message:field:)``, as for a file that is too large: a sending that
  ///   failed can be repeated with ``resendFileMessage(_:)``.
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
  /// The upload goes on by itself after a cut, from the byte that the server has. A sending that
  /// fails can be repeated with ``resendFileMessage(_:progressHandler:completionHandler:)``.
  ///
  /// - Parameters:
  ///   - params: The file. One that is at a URL already is not uploaded.
  ///   - progressHandler: Called on the client's callback queue.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The message as it is on its way, to be shown at once; replace it by the one of the
  ///   same ``BaseMessage/requestID`` that `completion` is given.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    start(order(params.values), progressHandler, completion: completion)
  }

  /// Ends the upload of a file message.
  ///
  /// The sending fails with ``ParleyError/cancelled``.
  ///
  /// - Returns: Whether the upload was under way; `false` when it was complete, cancelled or failed
  ///   before, or is unknown.
  @discardableResult
  public func cancelUploadingFileMessage(requestID: String) -> Bool {
    let (wasUploading, address) = core.files.cancel(requestID)
    if let address { core.start(FileCalls.cancel(fileID: address.fileID), completion: { _ in }) }
    return wasUploading
  }

  /// Repeats a sending that failed, and waits until the message is stored.
  ///
  /// - Throws: See ``sendFileMessage(params:)``; ``ParleyError/notFound(_:)`` when no such sending
  ///   failed.
  @discardableResult
  public func resendFileMessage(_ message: FileMessage) async throws(ParleyError) -> FileMessage {
    guard let order = core.files.failed(message.requestID) else { throw .noFailedSending }
    return try await sendUploaded(order)
  }

  /// Begins to send a file.
  public func sendingFileMessage(params: FileMessageCreateParams) -> FileMessageSending {
    let order = order(params.values)
    let (progress, report) = FileMessageSending.makeProgress()
    let task = core.send(order) { report.yield($0) }
    return FileMessageSending(message(order, .pending), progress, report, task, self)
  }

  /// Begins to send up to 20 files in order; see
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

  /// Begins to send a file, and calls back with the outcome.
  ///
  /// - Returns: The message on its way.
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
    guard orders.count <= Self.fileLimit else {
      return orders.map { _ in Task { .failure(.tooManyFiles(limit: Self.fileLimit)) } }
    }
    let places = UploadPlaces(Self.parallelUploads)
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

  /// The message of an order that is not stored.
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
