/// Sending files, with completion handlers in the style of other chat SDKs.
///
/// The handlers are called on the client's callback queue.
extension BaseChannel {
  /// Sends a file, and reports the progress of its upload.
  ///
  /// - Parameters:
  ///   - params: The file. A file that is already at a URL is not uploaded.
  ///   - progressHandler: Called when bytes have arrived.
  ///   - completionHandler: Called once with the stored message; or with the failed one, which
  ///     ``resendFileMessage(_:progressHandler:completionHandler:)`` takes, and the error.
  /// - Returns: The pending message, to be shown at once; replace it with the message of the same
  ///   ``BaseMessage/requestID`` that the handler receives.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completionHandler: @escaping @Sendable (FileMessage?, ParleyError?) -> Void
  ) -> FileMessage {
    start(order(params.values), progressHandler, handler: completionHandler)
  }

  /// Repeats a failed sending, continuing from the bytes that the server has.
  ///
  /// The client remembers the last 100 failed sendings.
  ///
  /// - Parameters:
  ///   - message: The pending or failed message of the sending.
  ///   - progressHandler: Called when bytes have arrived.
  ///   - completionHandler: Called once, with ``ParleyError/notFound(_:)`` if no such sending
  ///     failed.
  /// - Returns: The pending message.
  @discardableResult
  public func resendFileMessage(
    _ message: FileMessage,
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    completionHandler: @escaping @Sendable (FileMessage?, ParleyError?) -> Void
  ) -> FileMessage {
    guard let order = core.files.failed(message.requestID) else {
      core.callbacks.run { completionHandler(message, .noFailedSending) }
      return message
    }
    return start(order, progressHandler, handler: completionHandler)
  }

  /// Sends up to 20 files in order, and waits when flood protection requires it.
  ///
  /// A file that cannot be sent does not affect the others.
  ///
  /// - Parameters:
  ///   - params: The files; if there are more than 20, none is sent.
  ///   - progressHandler: Called for each file when bytes have arrived.
  ///   - sentMessageHandler: Called for each file in the order of `params` with the stored message;
  ///     or with the failed one, which ``resendFileMessage(_:progressHandler:completionHandler:)``
  ///     takes, and the error.
  ///   - completionHandler: Called once, after all others, with the first error.
  /// - Returns: The pending messages, in the order of `params`.
  @discardableResult
  public func sendFileMessages(
    params: [FileMessageCreateParams],
    progressHandler: (@Sendable (FileUploadProgress) -> Void)? = nil,
    sentMessageHandler: (@Sendable (FileMessage?, ParleyError?) -> Void)? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) -> [FileMessage] {
    let orders = params.map { order($0.values) }
    let tasks = send(orders) { [self] _ in reporting(progressHandler) }
    Task { [self] in
      var first: ParleyError?
      for (order, task) in zip(orders, tasks) {
        let outcome = await task.value
        if case .failure(let error) = outcome { first = first ?? error }
        if let sentMessageHandler {
          core.callbacks.run { [self] in hand(outcome, of: order, to: sentMessageHandler) }
        }
      }
      core.callbacks.run { [first] in completionHandler(first) }
    }
    return orders.map { message($0, .pending) }
  }

  private func start(
    _ order: FileSendings.Order, _ progressHandler: (@Sendable (FileUploadProgress) -> Void)?,
    handler: @escaping @Sendable (FileMessage?, ParleyError?) -> Void
  ) -> FileMessage {
    start(order, progressHandler) { [self] outcome in hand(outcome, of: order, to: handler) }
  }

  /// Passes the stored message, or the failed message and the error, to a handler.
  private func hand(
    _ outcome: FileSendings.Outcome, of order: FileSendings.Order,
    to handler: (FileMessage?, ParleyError?) -> Void
  ) {
    switch outcome {
    case .success(let message): handler(message, nil)
    case .failure(let error): handler(message(order, .failed), error)
    }
  }
}
