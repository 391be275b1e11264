/// Typing of members.
///
/// The server shows a typing member to the others for 10 s, or until its message or ``endTyping()``.
extension GroupChannel {
  /// Shows the other members that the current user is typing.
  ///
  /// Call it with each change of the text: at most one call in two seconds is sent. Failures have no
  /// effect.
  public func startTyping() {
    guard state.beginTyping() else { return }
    core.start(GroupCalls.typing(url, true)) { _ in }
  }

  /// Shows the other members that the current user is no longer typing.
  ///
  /// A message that the user sends ends it too.
  public func endTyping() {
    guard state.endTyping() else { return }
    core.start(GroupCalls.typing(url, false)) { _ in }
  }

  /// Returns the other members who are typing, at most ten, in the order in which they began.
  ///
  /// Of a user who is not among ``members`` only the id is known.
  public func getTypingUsers() -> [User] {
    let view = state.view
    return view.typingUserIDs.map { id in
      view.members?.first { $0.userID == id }?.user ?? User(userID: id)
    }
  }

  /// Whether other members are typing.
  public var isTyping: Bool { !state.view.typingUserIDs.isEmpty }
}
