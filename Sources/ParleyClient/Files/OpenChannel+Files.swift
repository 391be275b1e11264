/// Sending files whose bytes go to the server first.
extension OpenChannel {
  /// The most files of one call.
  private static let fileLimit = 20
  /// The most files of one call that are uploaded at the same time.
  private static let parallelUploads = 3

  /// Sends a file, and reports the progress of its upload.
  ///
  /// The upload goes on by itself after a cut, from the byte that the server has. A sending that
  /// fails can be repeated with ``resendFileMessage(_:progressHandler:completionHandler:)``.
  ///
  /// - Parameters:
  ///   - params: The file. One that is at a URL already is not uploaded.
  ///   - progressHandler: Called on the client's callback queue.
  ///   - completionHandler: Called once, on the client's callback queue.
  /// - Returns: The message as it is on its way, to be shown at once; replace it by the one of the
  ///   same ``BaseMessage/requestID`` that `completionHandler` is given.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completionHandler: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    let order = order(params)
    let task = core.send(order, report: reporting(progressHandler))
    Task { [callbacks = core.callbacks] in
      let outcome = await task.value
      callbacks.run { completionHandler(outcome) }
    }
    return pending(order)
  }

  /// Sends up to 20 files in order, and waits where flood protection asks for it.
  ///
  /// A file that can't be sent leaves the others alone.
  ///
  /// - Parameters:
  ///   - params: The files; with more than 20 none is sent.
  ///   - progressHandler: Called on the client's callback queue, for each file.
  ///   - sentMessageHandler: Called on the client's callback queue for each message that was sent
  ///     or failed, with the name of its sending.
  ///   - completionHandler: Called once, after all others, with the outcomes in the order of
  ///     `params`.
  /// - Returns: The messages as they are on their way, in the order of `params`.
  @discardableResult
  public func sendFileMessages(
    params: [FileMessageCreateParams],
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    sentMessageHandler: (@Sendable (String, Result<FileMessage, ParleyError>) -> Void)? = nil,
    completionHandler: @escaping @Sendable ([Result<FileMessage, ParleyError>]) -> Void
  ) -> [FileMessage] {
    let orders = params.map(order)
    let tasks = send(orders) { [self] _ in reporting(progressHandler) }
    Task { [callbacks = core.callbacks] in
      var outcomes: [Result<FileMessage, ParleyError>] = []
      for (order, task) in zip(orders, tasks) {
        let outcome = await task.value
        outcomes.append(outcome)
        if let sentMessageHandler {
          callbacks.run { sentMessageHandler(order.requestID, outcome) }
        }
      }
      callbacks.run { [outcomes] in completionHandler(outcomes) }
    }
    return orders.map(pending)
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
    if let address { core.start(FileCalls.cancel(fileID: address.fileID)) { _ in } }
    return wasUploading
  }

  /// Repeats a sending that failed, from the byte that the server has.
  ///
  /// The client remembers the last 100 that failed.
  ///
  /// - Parameters:
  ///   - message: The pending message of the sending.
  ///   - progressHandler: Called on the client's callback queue.
  ///   - completionHandler: Called once, on the client's callback queue; given
  ///     ``ParleyError/notFound(_:)`` when no such sending failed.
  /// - Returns: The message as it is on its way.
  @discardableResult
  public func resendFileMessage(
    _ message: FileMessage,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completionHandler: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    guard let order = core.files.failed(message.requestID) else {
      core.callbacks.run { completionHandler(.failure(.noFailedSending)) }
      return message
    }
    return sendFileMessage(
      params: order.params, progressHandler: progressHandler, completionHandler: completionHandler)
  }

  /// Repeats a sending that failed, and waits until the message is stored.
  ///
  /// - Throws: See ``sendFileMessage(params:)``; ``ParleyError/notFound(_:)`` when no such sending
  ///   failed.
  @discardableResult
  public func resendFileMessage(_ message: FileMessage) async throws(ParleyError) -> FileMessage {
    guard let order = core.files.failed(message.requestID) else { throw .noFailedSending }
    return try await sendFileMessage(params: order.params)
  }

  /// Begins to send a file.
  public func sendingFileMessage(params: FileMessageCreateParams) -> FileMessageSending {
    let order = order(params)
    let (progress, report) = FileMessageSending.makeProgress()
    let task = core.send(order) { report.yield($0) }
    return FileMessageSending(pending(order), progress, report, task, self)
  }

  /// Begins to send up to 20 files in order; see
  /// ``sendFileMessages(params:progressHandler:sentMessageHandler:completionHandler:)``.
  public func sendingFileMessages(params: [FileMessageCreateParams]) -> [FileMessageSending] {
    let orders = params.map(order)
    let streams = orders.map { _ in FileMessageSending.makeProgress() }
    let tasks = send(orders) { index in { streams[index].report.yield($0) } }
    return orders.indices.map { index in
      FileMessageSending(
        pending(orders[index]), streams[index].progress, streams[index].report, tasks[index], self)
    }
  }

  func sendUploaded(_ params: FileMessageCreateParams) async throws(ParleyError) -> FileMessage {
    let task = core.send(order(params)) { _ in }
    return try await task.outcome.get()
  }

  private func send(
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

  private func order(_ params: FileMessageCreateParams) -> FileSendings.Order {
    let requestID = params.requestID ?? core.requestIDs.next()
    var params = params
    params.requestID = requestID
    return FileSendings.Order(params: params, channelURL: url, requestID: requestID)
  }

  private func pending(_ order: FileSendings.Order) -> FileMessage {
    let record = MessageRecord(
      pending: order.params.common, in: url, by: core.currentUser, order.requestID)
    return FileMessage(pending: order.params, record)
  }

  private func reporting(
    _ handler: (@Sendable (FileUploadProgress) -> Void)?
  ) -> @Sendable (FileUploadProgress) -> Void {
    guard let handler else { return { _ in } }
    return { [callbacks = core.callbacks] progress in callbacks.run { handler(progress) } }
  }
}

/// A file message on its way.
///
///     let sending = channel.sendingFileMessage(params: FileMessageCreateParams(file: .path("a.png")))
///     for await step in sending.progress { show(step.totalBytesSent) }
///     let message = try await sending.message()
public struct FileMessageSending: Sendable {
  /// The message to be shown meanwhile.
  public let pendingMessage: FileMessage
  /// The progress of the upload, for one consumer.
  ///
  /// A slow consumer gets the latest step. Ends with the sending.
  public let progress: AsyncStream<FileUploadProgress>
  private let task: Task<FileSendings.Outcome, Never>
  private let channel: OpenChannel

  typealias Report = AsyncStream<FileUploadProgress>.Continuation

  fileprivate init(
    _ pendingMessage: FileMessage, _ progress: AsyncStream<FileUploadProgress>, _ report: Report,
    _ task: Task<FileSendings.Outcome, Never>, _ channel: OpenChannel
  ) {
    self.pendingMessage = pendingMessage
    self.progress = progress
    self.task = task
    self.channel = channel
    Task {
      _ = await task.value
      report.finish()
    }
  }

  /// Waits until the server has stored the message; cancelling the task ends the upload.
  ///
  /// - Throws: See ``OpenChannel/sendFileMessage(params:)``.
  public func message() async throws(ParleyError) -> FileMessage {
    try await task.outcome.get()
  }

  /// Ends the upload; see ``OpenChannel/cancelUploadingFileMessage(requestID:)``.
  @discardableResult
  public func cancel() -> Bool {
    channel.cancelUploadingFileMessage(requestID: pendingMessage.requestID)
  }

  fileprivate static func makeProgress() -> (
    progress: AsyncStream<FileUploadProgress>, report: Report
  ) {
    let (stream, continuation) = AsyncStream.makeStream(
      of: FileUploadProgress.self, bufferingPolicy: .bufferingNewest(1))
    return (stream, continuation)
  }
}

/// The uploads of one call that may run at the same time.
actor UploadPlaces {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(_ count: Int) {
    free = count
  }

  /// Waits for a place; those who came first get theirs first.
  func take() async {
    guard free == 0 else {
      free -= 1
      return
    }
    await withCheckedContinuation { waiting.append($0) }
  }

  /// Gives a place back.
  func leave() {
    guard waiting.isEmpty else { return waiting.removeFirst().resume() }
    free += 1
  }
}

extension Task where Success == FileSendings.Outcome, Failure == Never {
  /// The outcome; a task that waits for it and is cancelled ends the upload.
  fileprivate var outcome: FileSendings.Outcome {
    get async {
      await withTaskCancellationHandler {
        await value
      } onCancel: {
        cancel()
      }
    }
  }
}

extension ParleyError {
  fileprivate static let noFailedSending = ParleyError.notFound(
    "no file message of that request id has failed")

  fileprivate static func tooManyFiles(limit: Int) -> ParleyError {
    .refused(code: 400_203, message: "more than \(limit) files in one call", field: nil)
  }
}
