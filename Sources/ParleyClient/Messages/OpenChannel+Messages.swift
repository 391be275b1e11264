extension OpenChannel {
  /// Changes a message; for its author and the channel's operators.
  ///
  /// - Returns: The message as it is now.
  @discardableResult
  public func update(
    message: UserMessage, params: UserMessageUpdateParams
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(core.messageCalls.update(reference(to: message), params))
  }

  /// Deletes a message; for its author and the channel's operators.
  public func delete(message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(core.messageCalls.delete(reference(to: message)))
  }

  /// Fetches a message.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` when it was deleted or there never was one.
  public func getMessage(messageID: Int64) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(
      core.messageCalls.get(MessageReference(channelURL: url, messageID: messageID)))
  }

  /// Fetches messages around a place.
  ///
  /// In one direction, with ``MessageListParams/previousResultSize`` or
  /// ``MessageListParams/nextResultSize`` at 0, the list has as many as were asked for or as there
  /// are: further pages are fetched where one holds fewer. In both directions it is one page.
  public func messages(
    around anchor: MessageAnchor = .now, params: MessageListParams = MessageListParams()
  ) async throws(ParleyError) -> [any BaseMessage] {
    var page = try await messagePage(around: anchor, params: params)
    var messages = page.messages
    var rest = params
    rest.isInclusive = false
    while let place = params.goesBack ? page.previous : page.next,
      params.goesBack != params.goesForth, messages.count < params.size
    {
      let missing = params.size - messages.count
      if params.goesBack {
        rest.previousResultSize = missing
      } else {
        rest.nextResultSize = missing
      }
      page = try await messagePage(around: place, params: rest)
      let isContinuation = params.goesBack == (params.order == .newestFirst)
      messages = isContinuation ? messages + page.messages : page.messages + messages
    }
    return messages
  }

  /// Fetches one page of messages around a place, which says where to go on.
  ///
  /// The answer has to fit in ``ParleyClientConfiguration/maximumMessageBytes``.
  public func messagePage(
    around anchor: MessageAnchor = .now, params: MessageListParams = MessageListParams()
  ) async throws(ParleyError) -> MessagePage {
    try await core.perform(core.messageCalls.list(url, around: anchor, params))
  }

  /// Translates the text of a user's message.
  ///
  /// The translations are stored with the message, and all others in the channel get it as updated.
  ///
  /// - Parameter targetLanguages: Tags such as `es`, at most 10.
  /// - Returns: The message with ``BaseMessage/translations``.
  /// - Throws: ``ParleyError`` when the server has none of the languages, or its service fails.
  @discardableResult
  public func translateUserMessage(
    _ message: UserMessage, targetLanguages: [String]
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(
      core.messageCalls.translateUserMessage(reference(to: message), to: targetLanguages))
  }

  /// The same with a completion.
  ///
  /// - Parameter completion: Called once, on the client's callback queue.
  public func translateUserMessage(
    _ message: UserMessage, targetLanguages: [String],
    completionHandler completion: @escaping @Sendable (Result<UserMessage, ParleyError>) -> Void
  ) {
    core.start(
      core.messageCalls.translateUserMessage(reference(to: message), to: targetLanguages),
      completion: completion)
  }

  /// Translates a message; a server without translations refuses.
  ///
  /// - Returns: The message with ``BaseMessage/translations``.
  @discardableResult
  public func translate(
    message: any BaseMessage, to languages: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.translate(reference(to: message), to: languages))
  }

  func reference(to message: any BaseMessage) -> MessageReference {
    MessageReference(channelURL: url, messageID: message.messageID)
  }
}

/// Extra data of messages: polls, counters.
///
/// Authors and operators change the keys, every participant who may send changes the values. Each
/// call returns the message as it is now.
extension OpenChannel {
  /// Adds keys without values; those that are there already stay as they are.
  @discardableResult
  public func createMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.createKeys(reference(to: message), keys))
  }

  /// Leaves keys out, with all their values.
  @discardableResult
  public func deleteMessageMetaArrayKeys(
    message: any BaseMessage, keys: [String]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.deleteKeys(reference(to: message), keys))
  }

  /// Adds values behind those that are there, creating keys for those who may create them.
  @discardableResult
  public func addMessageMetaArrayValues(
    message: any BaseMessage, values: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.addValues(reference(to: message), values))
  }

  /// Leaves values out; the keys stay.
  @discardableResult
  public func removeMessageMetaArrayValues(
    message: any BaseMessage, values: [MessageMetaArray]
  ) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.removeValues(reference(to: message), values))
  }
}
