/// The calls about a channel, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue; without an error the call succeeded.
extension OpenChannel {
  /// Enters the channel; see ``enter()``.
  public func enter(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(entering, handler: completionHandler)
  }

  /// Leaves the channel; see ``exit()``.
  public func exit(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.exit(url), handler: completionHandler)
  }

  /// Fetches the current properties of the channel; see ``refresh()``.
  public func refresh(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.get(url).map(replace), handler: completionHandler)
  }

  /// Changes the channel; see ``update(params:)``.
  public func update(
    params: OpenChannelUpdateParams, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      params.values, { [self] in ChannelCalls.update(url, $0).map(replace) },
      handler: { _, error in completionHandler(error) })
  }

  /// Deletes the channel; see ``delete()``.
  public func delete(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.delete(url), handler: completionHandler)
  }
}

/// Moderation by operators; other users receive error 400108.
extension OpenChannel {
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
