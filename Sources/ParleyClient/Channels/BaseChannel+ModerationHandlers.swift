/// Moderation, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue; without an error the call succeeded.
extension BaseChannel {
  /// Lets only operators send; see ``freeze()``.
  public func freeze(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.freeze(url).map(replace), handler: completionHandler)
  }

  /// Lets everyone send again; see ``unfreeze()``.
  public func unfreeze(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.unfreeze(url).map(replace), handler: completionHandler)
  }

  /// Lets a user read but not send; see ``muteUser(userID:seconds:description:)``.
  public func muteUser(
    userID: String, seconds: Int? = nil, description: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    let restriction = UserRestriction(userID: userID, seconds: seconds, description: description)
    core.start(ChannelCalls.mute(url, restriction), handler: completionHandler)
  }

  /// Lets a muted user send again; see ``unmuteUser(userID:)``.
  public func unmuteUser(
    userID: String, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(ChannelCalls.unmute(url, userID: userID), handler: completionHandler)
  }

  /// Bans a user from the channel; see ``banUser(userID:seconds:description:)``.
  public func banUser(
    userID: String, seconds: Int? = nil, description: String? = nil,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    let restriction = UserRestriction(userID: userID, seconds: seconds, description: description)
    core.start(ChannelCalls.ban(url, restriction), handler: completionHandler)
  }

  /// Lets a banned user enter again; see ``unbanUser(userID:)``.
  public func unbanUser(
    userID: String, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(ChannelCalls.unban(url, userID: userID), handler: completionHandler)
  }

  /// Makes users operators; see ``addOperators(userIDs:)``.
  public func addOperators(
    userIDs: [String], completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(ChannelCalls.addOperators(url, userIDs).map(replace), handler: completionHandler)
  }

  /// Removes operators from the channel; see ``removeOperators(userIDs:)``.
  public func removeOperators(
    userIDs: [String], completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(ChannelCalls.removeOperators(url, userIDs).map(replace), handler: completionHandler)
  }
}
