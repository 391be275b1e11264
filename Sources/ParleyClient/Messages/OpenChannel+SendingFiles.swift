extension OpenChannel {
  /// Sends a file by its address, and waits until the server has stored the message.
  ///
  /// The file itself is not uploaded: it must be available at its URL.
  ///
  /// - Throws: See ``sendUserMessage(params:)``.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams
  ) async throws(ParleyError) -> FileMessage {
    try await core.perform(
      MessageCalls.send(
        params, to: url, requestID: params.requestID ?? core.requestIDs.next()))
  }

  /// Sends a file by its address without waiting for the message to be stored.
  ///
  /// - Parameters:
  ///   - params: The file.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The message as it is on its way, to be shown at once; replace it by the one of the
  ///   same ``BaseMessage/requestID`` that `completion` is given.
  @discardableResult
  public func sendFileMessage(
    params: FileMessageCreateParams,
    completion: @escaping @Sendable (Result<FileMessage, ParleyError>) -> Void
  ) -> FileMessage {
    let requestID = params.requestID ?? core.requestIDs.next()
    core.start(
      MessageCalls.send(params, to: url, requestID: requestID), completion: completion)
    let record = MessageRecord(
      pending: params.common, in: url, by: core.currentUser, requestID)
    return FileMessage(pending: params, record)
  }
}
