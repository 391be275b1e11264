extension OpenChannel {
  /// Sends a text, and waits until the server has stored it.
  ///
  /// - Throws: See ``sendUserMessage(params:)``.
  @discardableResult
  public func sendUserMessage(_ text: String) async throws(ParleyError) -> UserMessage {
    try await sendUserMessage(params: UserMessageCreateParams(message: text))
  }

  /// Sends a message, and waits until the server has stored it.
  ///
  /// When the connection is lost meanwhile, the client sends it again under the same
  /// ``BaseMessage/requestID`` once it is connected again: it is stored once, and messages sent to a
  /// channel keep their order.
  ///
  /// - Throws: ``ParleyError/tooManyMessages(retryAfter:)`` when the user sends faster than the
  ///   channel lets it; ``ParleyError/notInChannel``, ``ParleyError/frozen``,
  ///   ``ParleyError/muted``, ``ParleyError/banned``. After ``ParleyError/timedOut`` and
  ///   ``ParleyError/cancelled`` it may have been stored or not: send it again under the same
  ///   ``UserMessageCreateParams/requestID`` to be sure. ``ParleyError/connectionLost`` when the
  ///   server was away so long that it may have forgotten the sending.
  @discardableResult
  public func sendUserMessage(
    params: UserMessageCreateParams
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(sending(params, params.requestID ?? core.requestIDs.next()))
  }

  /// Sends a message without waiting for it.
  ///
  /// - Parameters:
  ///   - params: The message.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The message as it is on its way, to be shown at once; replace it by the one of the
  ///   same ``BaseMessage/requestID`` that `completion` is given.
  @discardableResult
  public func sendUserMessage(
    params: UserMessageCreateParams,
    completion: @escaping @Sendable (Result<UserMessage, ParleyError>) -> Void
  ) -> UserMessage {
    let requestID = params.requestID ?? core.requestIDs.next()
    core.start(sending(params, requestID), completion: completion)
    let record = MessageRecord(pending: params, in: url, by: core.currentUser, requestID)
    return UserMessage(record, .pending)
  }

  private func sending(
    _ params: UserMessageCreateParams, _ requestID: String
  ) -> Call<UserMessage> {
    core.messageCalls.send(params, to: url, requestID: requestID)
  }
}

extension OpenChannel {
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
    guard params.file == nil else { return try await sendUploaded(params) }
    return try await core.perform(
      core.messageCalls.send(
        params, to: url, requestID: params.requestID ?? core.requestIDs.next()))
  }

  /// Sends a file without waiting for the message to be stored.
  ///
  /// - Parameters:
  ///   - params: The file; see ``sendFileMessage(params:progressHandler:completionHandler:)`` for
  ///     the progress of an upload.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The message as it is on its way, to be shown at once; replace it by the one of the
  ///   same ``BaseMessage/requestID`` that `completion` is given.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    guard params.file == nil else {
      return sendFileMessage(params: params, completionHandler: completion)
    }
    let requestID = params.requestID ?? core.requestIDs.next()
    core.start(
      core.messageCalls.send(params, to: url, requestID: requestID), completion: completion)
    let record = MessageRecord(
      pending: params.common, in: url, by: core.currentUser, requestID)
    return FileMessage(pending: params, record)
  }
}
