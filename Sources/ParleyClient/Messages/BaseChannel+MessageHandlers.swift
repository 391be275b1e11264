/// The calls about messages, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue, with a value or an error.
extension BaseChannel {
  /// Sends a message without waiting for it.
  ///
  /// - Parameters:
  ///   - params: The message.
  ///   - completionHandler: Called with the stored message; or with the failed one, which
  ///     ``resendUserMessage(_:completionHandler:)`` takes, and the error.
  /// - Returns: The pending message, to be shown at once; replace it with the message of the same
  ///   ``BaseMessage/requestID`` that the handler receives.
  @discardableResult
  public func sendUserMessage(
    params: UserMessageCreateParams,
    completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) -> UserMessage {
    start(pending(params.values), handler: completionHandler)
  }

  /// Sends a text without waiting for it; see ``sendUserMessage(params:completionHandler:)``.
  @discardableResult
  public func sendUserMessage(
    _ text: String, completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) -> UserMessage {
    sendUserMessage(
      params: UserMessageCreateParams(message: text), completionHandler: completionHandler)
  }

  /// Sends a failed message again; see ``resendUserMessage(_:)``.
  ///
  /// - Returns: The pending message.
  @discardableResult
  public func resendUserMessage(
    _ message: UserMessage,
    completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) -> UserMessage {
    start(message.pending, handler: completionHandler)
  }

  /// Sends the text of a message to another channel; see ``copyUserMessage(_:toTargetChannel:)``.
  ///
  /// - Returns: The pending copy.
  @discardableResult
  public func copyUserMessage(
    _ message: UserMessage, toTargetChannel target: any BaseChannel,
    completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) -> UserMessage {
    target.sendUserMessage(params: message.copied, completionHandler: completionHandler)
  }

  /// Changes a message; see ``updateUserMessage(messageID:params:)``.
  public func updateUserMessage(
    messageID: Int64, params: UserMessageUpdateParams,
    completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.update(reference(to: messageID), params.values), handler: completionHandler)
  }

  /// Deletes a message; see ``deleteMessage(_:)``.
  public func deleteMessage(
    _ message: any BaseMessage, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(core.messageCalls.delete(reference(to: message)), handler: completionHandler)
  }

  /// Translates the text of a message; see ``translateUserMessage(_:targetLanguages:)``.
  public func translateUserMessage(
    _ message: UserMessage, targetLanguages: [String],
    completionHandler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.translateUserMessage(reference(to: message), to: targetLanguages),
      handler: completionHandler)
  }

  /// Fetches a message; see ``getMessage(messageID:)``.
  public func getMessage(
    messageID: Int64,
    completionHandler: @escaping @Sendable ((any BaseMessage)?, ParleyError?) -> Void
  ) {
    core.start(core.messageCalls.get(reference(to: messageID)), handler: completionHandler)
  }

  /// Fetches messages around a place; see ``messages(around:params:)``.
  public func messages(
    around anchor: MessageAnchor = .now, params: MessageListParams = MessageListParams(),
    completionHandler: @escaping @Sendable ([any BaseMessage]?, ParleyError?) -> Void
  ) {
    let wanted = params.values
    core.start(handler: completionHandler) { [self] () async throws(ParleyError) in
      try await messages(around: anchor, wanted)
    }
  }

  private func start(
    _ pending: UserMessage, handler: @escaping @Sendable (UserMessage?, ParleyError?) -> Void
  ) -> UserMessage {
    start(pending) { outcome in
      switch outcome {
      case .success(let message): handler(message, nil)
      case .failure(let error): handler(pending.failed, error)
      }
    }
  }
}

extension BaseChannel {
  /// Adds keys without values; see ``createMessageMetaArrayKeys(message:keys:)``.
  public func createMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String],
    completionHandler: @escaping @Sendable ((any BaseMessage)?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.createKeys(reference(to: message), keys), handler: completionHandler)
  }

  /// Removes keys with their values; see ``deleteMessageMetaArrayKeys(message:keys:)``.
  public func deleteMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String],
    completionHandler: @escaping @Sendable ((any BaseMessage)?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.deleteKeys(reference(to: message), keys), handler: completionHandler)
  }

  /// Adds values; see ``addMessageMetaArrayValues(message:metaArrays:)``.
  public func addMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray],
    completionHandler: @escaping @Sendable ((any BaseMessage)?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.addValues(reference(to: message), metaArrays), handler: completionHandler)
  }

  /// Removes values; see ``removeMessageMetaArrayValues(message:metaArrays:)``.
  public func removeMessageMetaArrayValues(
    message: any BaseMessage, metaArrays: [MessageMetaArray],
    completionHandler: @escaping @Sendable ((any BaseMessage)?, ParleyError?) -> Void
  ) {
    core.start(
      core.messageCalls.removeValues(reference(to: message), metaArrays), handler: completionHandler
    )
  }
}
