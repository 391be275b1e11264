extension BaseChannel {
  /// Sends a text, and waits until the server has stored it.
  ///
  /// - Throws: See ``sendUserMessage(params:)``.
  @discardableResult
  public func sendUserMessage(_ text: String) async throws(ParleyError) -> UserMessage {
    try await sendUserMessage(params: UserMessageCreateParams(message: text))
  }

  /// Sends a message, and waits until the server has stored it.
  ///
  /// If the connection is lost meanwhile, the client sends the message again with the same
  /// ``BaseMessage/requestID`` after reconnecting: it is stored once, and messages sent to a
  /// channel keep their order.
  ///
  /// - Throws: ``ParleyError/tooManyMessages(retryAfter:)`` if the user sends faster than the
  ///   channel allows; ``ParleyError/notInChannel``, ``ParleyError/frozen``, ``ParleyError/muted``,
  ///   ``ParleyError/banned``. After ``ParleyError/timedOut`` and ``ParleyError/cancelled`` the
  ///   message may or may not have been stored: send it again with the same
  ///   ``UserMessageCreateParams/requestID`` to be sure. ``ParleyError/connectionLost`` if the
  ///   server was away so long that it may have forgotten the sending.
  @discardableResult
  public func sendUserMessage(
    params: UserMessageCreateParams
  ) async throws(ParleyError) -> UserMessage {
    try await perform(pending(params.values))
  }

  /// Sends a message without waiting for it.
  ///
  /// - Parameters:
  ///   - params: The message.
  ///   - completion: Called once, on the client's callback queue.
  /// - Returns: The pending message, to be shown at once; replace it with the message of the same
  ///   ``BaseMessage/requestID`` that `completion` receives.
  @discardableResult
  public func sendUserMessage(
    params: UserMessageCreateParams,
    completion: @escaping @Sendable (Result<UserMessage, ParleyError>) -> Void
  ) -> UserMessage {
    start(pending(params.values), completion: completion)
  }

  /// Sends a failed message again, and waits until the server has stored it.
  ///
  /// The message keeps its ``BaseMessage/requestID``, so within ten minutes it is stored once even
  /// if the first attempt succeeded.
  ///
  /// - Parameter message: The pending or failed message.
  /// - Throws: See ``sendUserMessage(params:)``; ``ParleyError/notFound(_:)`` for a message that
  ///   the server has already stored.
  @discardableResult
  public func resendUserMessage(_ message: UserMessage) async throws(ParleyError) -> UserMessage {
    guard message.unsent != nil else { throw .nothingToSendAgain }
    return try await perform(message)
  }

  /// Sends the text of a message to another channel, with everything that the sender provided.
  ///
  /// The copy has the text, the data, the custom type, the mentions and the extra data. The server
  /// creates a new preview and new translations.
  ///
  /// - Throws: See ``sendUserMessage(params:)``.
  @discardableResult
  public func copyUserMessage(
    _ message: UserMessage, toTargetChannel target: any BaseChannel
  ) async throws(ParleyError) -> UserMessage {
    try await target.sendUserMessage(params: message.copied)
  }

  /// Creates a pending message.
  func pending(_ params: UserMessageCreateParams.Values) -> UserMessage {
    var params = params
    let requestID = params.requestID ?? core.requestIDs.next()
    params.requestID = requestID
    let record = MessageRecord(pending: params, in: url, by: core.currentUser, requestID)
    return UserMessage(pending: params, record)
  }

  private func perform(_ pending: UserMessage) async throws(ParleyError) -> UserMessage {
    guard let call = sending(pending) else { throw .nothingToSendAgain }
    return try await core.perform(call)
  }

  /// Sends a pending message and returns it.
  func start(
    _ pending: UserMessage,
    completion: @escaping @Sendable (Result<UserMessage, ParleyError>) -> Void
  ) -> UserMessage {
    if let call = sending(pending) {
      core.start(call, completion: completion)
    } else {
      core.callbacks.run { completion(.failure(.nothingToSendAgain)) }
    }
    return pending
  }

  private func sending(_ pending: UserMessage) -> Call<UserMessage>? {
    pending.unsent.map {
      core.messageCalls.send($0, to: url, requestID: pending.requestID)
    }
  }
}

extension UserMessage {
  /// The parameters for sending a copy.
  var copied: UserMessageCreateParams {
    let params = UserMessageCreateParams(message: message)
    params.customType = customType
    params.data = data
    params.mentionType = mentionType
    params.mentionedUsers = mentionedUsers
    params.metaArrays = metaArrays
    return params
  }
}

extension ParleyError {
  fileprivate static let nothingToSendAgain = ParleyError.notFound(
    "the message is neither pending nor failed; only such a message can be sent again")
}
