extension OpenChannel {
  /// Changes a message; for its author and the channel's operators.
  ///
  /// - Returns: The message as it is now.
  @discardableResult
  public func updateUserMessage(
    messageID: Int64, params: UserMessageUpdateParams
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(core.messageCalls.update(reference(to: messageID), params.values))
  }

  /// Deletes a message; for its author and the channel's operators.
  public func deleteMessage(_ message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(core.messageCalls.delete(reference(to: message)))
  }

  /// Fetches a message.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` when it was deleted or there never was one.
  public func getMessage(messageID: Int64) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.get(reference(to: messageID)))
  }

  /// Fetches messages around a place.
  ///
  /// In one direction, with ``MessageListParams/previousResultSize`` or
  /// ``MessageListParams/nextResultSize`` at 0, the list has as many as were asked for or as there
  /// are: further pages are fetched where one holds fewer. In both directions it is one page.
  public func messages(
    around anchor: MessageAnchor = .now, params: MessageListParams = MessageListParams()
  ) async throws(ParleyError) -> [any BaseMessage] {
    try await messages(around: anchor, params.values)
  }

  func messages(
    around anchor: MessageAnchor, _ wanted: MessageListParams.Values
  ) async throws(ParleyError) -> [any BaseMessage] {
    try await Self.messages(around: anchor, wanted) { (place, params) async throws(ParleyError) in
      try await messagePage(around: place, params)
    }
  }

  /// Gathers messages from pages, until a page names no further place or one that was named before.
  static func messages(
    around anchor: MessageAnchor, _ wanted: MessageListParams.Values,
    in load: (MessageAnchor, MessageListParams.Values) async throws(ParleyError) -> MessagePage
  ) async throws(ParleyError) -> [any BaseMessage] {
    var page = try await load(anchor, wanted)
    var places: Set<MessageAnchor> = []
    var messages = page.messages
    var rest = wanted
    rest.isInclusive = false
    while let place = wanted.goesBack ? page.previous : page.next,
      wanted.goesBack != wanted.goesForth, messages.count < wanted.size,
      places.insert(place).inserted
    {
      let missing = wanted.size - messages.count
      if wanted.goesBack {
        rest.previousResultSize = missing
      } else {
        rest.nextResultSize = missing
      }
      page = try await load(place, rest)
      let isContinuation = wanted.goesBack == (wanted.order == .newestFirst)
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
    try await messagePage(around: anchor, params.values)
  }

  private func messagePage(
    around anchor: MessageAnchor, _ params: MessageListParams.Values
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

  func reference(to message: any BaseMessage) -> MessageReference {
    reference(to: message.messageID)
  }

  func reference(to messageID: Int64) -> MessageReference {
    MessageReference(channelURL: url, messageID: messageID)
  }
}
