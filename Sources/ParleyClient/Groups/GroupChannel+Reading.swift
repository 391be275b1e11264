internal import ParleyProtocol

/// The current user's unread messages, hiding and history.
///
/// The user must have joined. A change is stored before its call returns, and the user's other devices
/// receive an event.
extension GroupChannel {
  /// Marks the group as read up to the last message that this client has received.
  ///
  /// A message that arrives meanwhile stays unread. Without a received message, nothing happens.
  public func markAsRead() async throws(ParleyError) {
    guard let id = receivedMessageID else { return }
    try await core.perform(markingAsRead(upTo: id))
  }

  /// Marks the group as read up to and including a message.
  ///
  /// The position only rises: a message that was read before changes nothing.
  public func markAsRead(upTo message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(markingAsRead(upTo: message.messageID))
  }

  /// Marks a message and those after it as unread, except for the user's own.
  public func markAsUnread(message: any BaseMessage) async throws(ParleyError) {
    try await core.perform(markingAsUnread(message.messageID))
  }

  /// Hides the group from lists.
  ///
  /// - Parameters:
  ///   - hidePreviousMessages: Whether the history begins again, as with ``resetMyHistory()``.
  ///   - allowAutoUnhide: Whether the next message shows the group again. Otherwise it is archived until
  ///     ``unhide()``, and does not count in ``ParleyClient/ParleyClient/unreadTotals(customTypes:)``.
  public func hide(
    hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true
  ) async throws(ParleyError) {
    try await core.perform(hiding(hidePreviousMessages, allowAutoUnhide))
  }

  /// Shows a hidden group again.
  public func unhide() async throws(ParleyError) {
    try await core.perform(GroupCalls.unhide(url).map(setOwn))
  }

  /// Begins the history again: the current user no longer sees the messages before.
  public func resetMyHistory() async throws(ParleyError) {
    try await core.perform(GroupCalls.resetHistory(url).map(setOwn))
  }

  /// Sets the numbers of unread messages that the current user wants to know.
  public func setMyCountPreference(_ preference: CountPreference) async throws(ParleyError) {
    try await core.perform(GroupCalls.prefer(url, preference).map(setOwn))
  }

  /// The newest message that this client has received; `nil` if there is none.
  var receivedMessageID: Int64? {
    let id = state.view.receivedMessageID
    return id > 0 ? id : nil
  }

  func markingAsRead(upTo id: Int64) -> Call<Void> {
    GroupCalls.markRead(reference(to: id)).map(setOwn)
  }

  func markingAsUnread(_ id: Int64) -> Call<Void> {
    GroupCalls.markUnread(reference(to: id)).map(setOwn)
  }

  func hiding(_ hidesPreviousMessages: Bool, _ allowsAutoUnhide: Bool) -> Call<Void> {
    GroupCalls.hide(
      url, hidesPreviousMessages: hidesPreviousMessages, allowsAutoUnhide: allowsAutoUnhide
    ).map(setOwn)
  }

  /// Replaces the user's own part with that of an answer.
  var setOwn: @Sendable (OwnMembership) -> Void {
    { [self] in state.apply(.own($0)) }
  }
}

/// The calls with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue; without an error the call succeeded.
extension GroupChannel {
  /// Marks the group as read; see ``markAsRead()``.
  public func markAsRead(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    guard let id = receivedMessageID else {
      return core.callbacks.run { completionHandler(nil) }
    }
    core.start(markingAsRead(upTo: id), handler: completionHandler)
  }

  /// Marks the group as read up to a message; see ``markAsRead(upTo:)``.
  public func markAsRead(
    upTo message: any BaseMessage, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(markingAsRead(upTo: message.messageID), handler: completionHandler)
  }

  /// Marks messages as unread; see ``markAsUnread(message:)``.
  public func markAsUnread(
    message: any BaseMessage, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(markingAsUnread(message.messageID), handler: completionHandler)
  }

  /// Hides the group; see ``hide(hidePreviousMessages:allowAutoUnhide:)``.
  public func hide(
    hidePreviousMessages: Bool = false, allowAutoUnhide: Bool = true,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(hiding(hidePreviousMessages, allowAutoUnhide), handler: completionHandler)
  }

  /// Shows a hidden group again; see ``unhide()``.
  public func unhide(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(GroupCalls.unhide(url).map(setOwn), handler: completionHandler)
  }

  /// Begins the history again; see ``resetMyHistory()``.
  public func resetMyHistory(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(GroupCalls.resetHistory(url).map(setOwn), handler: completionHandler)
  }

  /// Sets the preference; see ``setMyCountPreference(_:)``.
  public func setMyCountPreference(
    _ preference: CountPreference,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(GroupCalls.prefer(url, preference).map(setOwn), handler: completionHandler)
  }
}
