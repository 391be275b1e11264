extension BaseChannel {
  /// Changes a message; only its author and the channel's operators may do this.
  ///
  /// - Returns: The updated message.
  @discardableResult
  public func updateUserMessage(
    messageID: Int64, params: UserMessageUpdateParams
  ) async throws(ParleyError) -> UserMessage {
    try await core.perform(core.messageCalls.update(reference(to: messageID), params.values))
  }

  /// Deletes a message; only its author and the channel's operators may do this.
  public func deleteMessage(_ message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(core.messageCalls.delete(reference(to: message)))
  }

  /// Fetches a message.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` if it was deleted or never existed.
  public func getMessage(messageID: Int64) async throws(ParleyError) -> any BaseMessage {
    try await core.perform(core.messageCalls.get(reference(to: messageID)))
  }

  /// Fetches messages around a place.
  ///
  /// In one direction, with ``MessageListParams/previousResultSize`` or
  /// ``MessageListParams/nextResultSize`` at 0, the list has the requested number of messages if they
  /// exist: further pages are fetched if a page has fewer. In both directions, one page is fetched.
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

  /// Collects messages from pages, until a page has no further place or repeats an earlier one.
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

  /// Fetches one page of messages around a place; the page has the places for further requests.
  ///
  /// The response must fit in ``ParleyClientConfiguration/maximumMessageBytes``.
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
  /// The translations are stored with the message, and other users of the channel receive an update.
  ///
  /// - Parameter targetLanguages: Tags such as `es`, at most 10.
  /// - Returns: The message with ``BaseMessage/translations``.
  /// - Throws: ``ParleyError`` if the server supports none of the languages, or its service fails.
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
