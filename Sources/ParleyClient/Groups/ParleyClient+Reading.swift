/// The unread messages of all groups of the current user.
///
/// These calls and the pages of a ``GroupChannelListQuery`` share a limit of 5 a second, with bursts of
/// up to 20. Beyond it they fail with ``ParleyError/rateLimited(retryAfter:)``.
extension ParleyClient {
  /// Marks all messages in all groups of the user as read.
  public func markAllGroupsAsRead() async throws(ParleyError) {
    try await core.perform(GroupCalls.markRead(nil))
  }

  /// Marks all messages in some groups as read.
  ///
  /// - Parameter channelURLs: 1 to 100 groups.
  public func markGroupsAsRead(channelURLs: [String]) async throws(ParleyError) {
    try await core.perform(GroupCalls.markRead(channelURLs))
  }

  /// Fetches the numbers of unread messages and of invitations over all groups of the user.
  ///
  /// - Parameter customTypes: The types of the groups to count; empty for all.
  public func unreadTotals(customTypes: [String] = []) async throws(ParleyError) -> UnreadTotals {
    try await core.perform(GroupCalls.totals(customTypes: customTypes))
  }

  /// Requests the event ``ParleyEvent/unreadTotalsChanged(_:)``, now and whenever the numbers over all
  /// groups have changed, also after the client has reconnected.
  ///
  /// The server sends it at most every two seconds, unless an operator has set another time.
  public func startWatchingUnreadTotals() async throws(ParleyError) {
    core.watchesTotals = true
    try await core.perform(GroupCalls.watchTotals(true))
  }

  /// Ends the events that ``startWatchingUnreadTotals()`` has requested.
  public func stopWatchingUnreadTotals() async throws(ParleyError) {
    core.watchesTotals = false
    try await core.perform(GroupCalls.watchTotals(false))
  }

  /// Requests events about unread messages; see ``startWatchingUnreadTotals()``.
  public func startWatchingUnreadTotals(
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.watchesTotals = true
    core.start(GroupCalls.watchTotals(true), handler: completionHandler)
  }

  /// Ends the events about unread messages; see ``stopWatchingUnreadTotals()``.
  public func stopWatchingUnreadTotals(
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.watchesTotals = false
    core.start(GroupCalls.watchTotals(false), handler: completionHandler)
  }

  /// Marks all messages in all groups of the user as read; see ``markAllGroupsAsRead()``.
  public func markAllGroupsAsRead(
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(GroupCalls.markRead(nil), handler: completionHandler)
  }

  /// Marks all messages in some groups as read; see ``markGroupsAsRead(channelURLs:)``.
  public func markGroupsAsRead(
    channelURLs: [String], completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(GroupCalls.markRead(channelURLs), handler: completionHandler)
  }

  /// Fetches the numbers of unread messages; see ``unreadTotals(customTypes:)``.
  public func unreadTotals(
    customTypes: [String] = [],
    completionHandler: @escaping @Sendable (UnreadTotals?, ParleyError?) -> Void
  ) {
    core.start(GroupCalls.totals(customTypes: customTypes), handler: completionHandler)
  }
}
