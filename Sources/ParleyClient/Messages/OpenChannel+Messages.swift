extension OpenChannel {
  /// Changes a message; for its author and the channel's operators.
  ///
  /// - Returns: The message as it is now.
  @discardableResult
  public func update(
    message: UserMessage, params: UserMessageUpdateParams
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(MessageCalls.update(reference(to: message), params))
  }

  /// Deletes a message; for its author and the channel's operators.
  public func delete(message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(MessageCalls.delete(reference(to: message)))
  }

  /// Fetches a message.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` when it was deleted or there never was one.
  public func getMessage(messageID: Int64) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(
      MessageCalls.get(MessageReference(channelURL: url, messageID: messageID)))
  }

  /// Fetches messages around a place.
  ///
  /// The answer has to fit in ``ParleyClientConfiguration/maximumMessageBytes``: ask for fewer where
  /// messages are long.
  public func messages(
    around anchor: MessageAnchor = .now, params: MessageListParams = MessageListParams()
  ) async throws(ParleyError) -> [any BaseMessage] {
    try await core.perform(MessageCalls.list(url, around: anchor, params))
  }

  /// Translates a message; a server without translations refuses.
  ///
  /// - Returns: The message with ``BaseMessage/translations``.
  @discardableResult
  public func translate(
    message: any BaseMessage, to languages: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(MessageCalls.translate(reference(to: message), to: languages))
  }

  func reference(to message: any BaseMessage) -> MessageReference {
    MessageReference(channelURL: url, messageID: message.messageID)
  }
}
