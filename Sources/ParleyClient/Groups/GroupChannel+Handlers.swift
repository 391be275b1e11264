/// The calls about a group, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue; without an error the call succeeded.
extension GroupChannel {
  /// Fetches the current properties of the group; see ``refresh()``.
  public func refresh(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(core.groupCalls.get(url).map(read), handler: completionHandler)
  }

  /// Changes the group; see ``update(params:)``.
  public func update(
    params: GroupChannelUpdateParams, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      params.values, { [self] in core.groupCalls.update(url, $0).map(read) },
      handler: { _, error in completionHandler(error) })
  }

  /// Deletes the group; see ``delete()``.
  public func delete(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(GroupCalls.delete(url), handler: completionHandler)
  }

  /// Adds users; see ``inviteUserIDs(_:)``.
  public func inviteUserIDs(
    _ userIDs: [String],
    completionHandler: @escaping @Sendable (InvitationResult?, ParleyError?) -> Void
  ) {
    core.start(inviting(userIDs), handler: completionHandler)
  }

  /// Adds users; see ``inviteUserIDs(_:)``.
  public func invite(
    _ users: [User],
    completionHandler: @escaping @Sendable (InvitationResult?, ParleyError?) -> Void
  ) {
    inviteUserIDs(users.map(\.userID), completionHandler: completionHandler)
  }

  /// Accepts the invitation of the current user; see ``acceptInvitation()``.
  public func acceptInvitation(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(core.groupCalls.accept(url).map(read), handler: completionHandler)
  }

  /// Declines the invitation of the current user; see ``declineInvitation()``.
  public func declineInvitation(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(GroupCalls.decline(url), handler: completionHandler)
  }

  /// Joins a public group; see ``join(accessCode:)``.
  public func join(
    accessCode: String? = nil, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      core.groupCalls.join(url, accessCode: accessCode).map(read), handler: completionHandler)
  }

  /// Leaves the group; see ``leave()``.
  public func leave(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(GroupCalls.leave(url), handler: completionHandler)
  }

  /// Removes members; see ``removeMembers(userIDs:)``.
  public func removeMembers(
    userIDs: [String], completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(removing(userIDs), handler: completionHandler)
  }
}
