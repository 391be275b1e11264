/// The users whom the current user blocks.
///
/// Their invitations and mentions do not arrive, and in a group of two their messages are not counted as
/// unread. They cannot find out about it.
extension ParleyClient {
  /// Blocks a user; of no effect if the user is blocked already.
  ///
  /// - Throws: ``ParleyError/notFound(_:)`` for a user that does not exist;
  ///   ``ParleyError/refused(code:message:field:)`` with 400111 for the current user, and with 400203 beyond
  ///   1,000 blocked users.
  public func blockUser(userID: String) async throws(ParleyError) {
    try await core.perform(BlockCalls.block(userID))
  }

  /// Ends the block of a user; of no effect if the user is not blocked.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400111 for the current user.
  public func unblockUser(userID: String) async throws(ParleyError) {
    try await core.perform(BlockCalls.unblock(userID))
  }

  /// Returns a query for the blocked users, page by page.
  ///
  /// - Parameter limit: The largest number of users on a page, 1 to 100.
  public func createBlockedUserListQuery(limit: Int = 20) -> BlockedUserListQuery {
    BlockedUserListQuery(limit: limit, core)
  }

  /// Blocks a user; see ``blockUser(userID:)``.
  public func blockUser(
    userID: String, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(BlockCalls.block(userID), handler: completionHandler)
  }

  /// Ends the block of a user; see ``unblockUser(userID:)``.
  public func unblockUser(
    userID: String, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(BlockCalls.unblock(userID), handler: completionHandler)
  }
}
