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
    try await perform(pending(params.values))
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
    start(pending(params.values), completion: completion)
  }

  /// Sends a message again whose sending failed, and waits until the server has stored it.
  ///
  /// The message keeps its ``BaseMessage/requestID``, so within ten minutes it is stored once even if
  /// the first attempt was.
  ///
  /// - Parameter message: The pending or failed message of the sending.
  /// - Throws: See ``sendUserMessage(params:)``; ``ParleyError/notFound(_:)`` for a message that the
  ///   server has stored.
  @discardableResult
  public func resendUserMessage(_ message: UserMessage) async throws(ParleyError) -> UserMessage {
    guard message.unsent != nil else { throw .nothingToSendAgain }
    return try await perform(message)
  }

  /// Sends the text of a message to another channel, with all that the sender gave.
  ///
  /// The copy has the text, the data, the custom type, the mentions and the extra data. Its preview
  /// and translations are made anew.
  ///
  /// - Throws: See ``sendUserMessage(params:)``.
  @discardableResult
  public func copyUserMessage(
    _ message: UserMessage, toTargetChannel target: OpenChannel
  ) async throws(ParleyError) -> UserMessage {
    try await target.sendUserMessage(params: message.copied)
  }

  /// A message that is about to be sent.
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

  /// Sends a pending message, which is returned.
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
  /// The parameters of a copy.
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
