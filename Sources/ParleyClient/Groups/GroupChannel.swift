/// A group channel: its members receive every message without entering.
///
/// A client has one object for each channel, and keeps those of the user's groups. Their properties
/// are the latest that the server sent, and events keep them up to date. For a public group of which
/// the user is not a member, call ``refresh()``.
public final class GroupChannel: BaseChannel {
  /// The client and the properties of the channel.
  public let state: ChannelState

  init(_ properties: ChannelProperties, _ core: ClientCore) {
    state = ChannelState(properties, core)
  }

  /// The number of members, joined and invited.
  public var memberCount: Int { snapshot.group.memberCount }
  /// The number of joined members.
  public var joinedMemberCount: Int { snapshot.group.joinedMemberCount }
  /// The members, joined and invited; empty for a user who is not a member, in a super group, and for a group
  /// that was listed without them, until ``refresh()``.
  public var members: [Member] { state.view.members ?? [] }
  /// The last message that the user may read; `nil` if there is none.
  ///
  /// After the last message was deleted, this is `nil` until the client has read the group again.
  public var lastMessage: (any BaseMessage)? { state.view.lastMessage }
  /// Whether it is the channel of exactly its members; ends with the first change of them.
  public var isDistinct: Bool { snapshot.group.isDistinct }
  /// Whether users who know the URL can read the group's properties and join.
  public var isPublic: Bool { snapshot.group.isPublic }
  /// Whether the group has room for many members, which only a ``MemberListQuery`` lists.
  public var isSuper: Bool { snapshot.group.isSuper }
  /// Whether joining the public group needs a code.
  public var isAccessCodeRequired: Bool { snapshot.group.isAccessCodeRequired }
  /// The user who created the group; `nil` for the Platform API and for a deleted user.
  public var creator: User? { snapshot.group.creator }

  /// The user who invited the current user; `nil` for the Platform API or without an invitation.
  public var inviter: User? { state.view.my?.inviter }
  /// The time of the current user's invitation in Unix milliseconds; 0 without one.
  public var invitedAt: Int64 { state.view.my?.invitedAt ?? 0 }
  /// The time when the current user joined in Unix milliseconds; 0 if it has not.
  public var joinedAt: Int64 { state.view.my?.joinedAt ?? 0 }
  /// Whether the current user has joined or is invited.
  public var myMemberState: MemberState { state.view.my?.state ?? .none }
  /// Whether the current user is an operator.
  public var myRole: Role { state.view.my?.role ?? .none }
  /// Whether the current user may send.
  public var myMutedState: MutedState { state.view.my?.mutedState ?? .unmuted }
  /// The ``BaseMessage/createdAt`` of the oldest message that the current user may read, in Unix
  /// milliseconds; 0 for the whole history.
  public var messageOffsetTimestamp: Int64 { state.view.my?.visibleFrom ?? 0 }
  /// The number of messages that the current user has not read; 0 if ``myCountPreference`` omits it.
  ///
  /// Messages of the user itself, silent and deleted messages do not count.
  public var unreadMessageCount: Int { state.view.unreadMessageCount }
  /// The number of unread messages that mention the current user, or all members; 0 if
  /// ``myCountPreference`` omits it.
  public var unreadMentionCount: Int { state.view.unreadMentionCount }
  /// The ``BaseMessage/createdAt`` of the last message that the current user has read, in Unix
  /// milliseconds; 0 if there is none.
  public var myLastRead: Int64 { state.view.my?.readAt ?? 0 }
  /// Whether the current user has hidden the group, and what shows it again.
  public var hiddenState: GroupChannelHiddenState { state.view.my?.hiddenState ?? .unhidden }
  /// Whether the current user has hidden the group.
  public var isHidden: Bool { hiddenState != .unhidden }
  /// The numbers of unread messages that the current user wants to know.
  public var myCountPreference: CountPreference { state.view.my?.countPreference ?? .all }

  /// The events of the group from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<GroupChannelEvent> { core.streams.events(ofGroup: url) }
}

/// The group as a whole.
extension GroupChannel {
  /// Fetches the current properties of the group.
  public func refresh() async throws(ParleyError) {
    try await core.perform(core.groupCalls.get(url).map(read))
  }

  /// Changes the group; only operators may do this, or every joined member if there are none.
  public func update(params: GroupChannelUpdateParams) async throws(ParleyError) {
    try await core.perform(params.values) { core.groupCalls.update(url, $0).map(read) }
  }

  /// Deletes the group with its messages; only operators may do this.
  public func delete() async throws(ParleyError) {
    try await core.perform(GroupCalls.delete(url))
  }
}

/// Members.
///
/// All calls fail with ``ParleyError/notFound(_:)`` for users who are not members of a private group.
extension GroupChannel {
  /// Adds users, who join at once or are invited.
  ///
  /// - Parameter userIDs: 1 to 100 users. If one of them is unknown, deactivated or banned, nobody is
  ///   added.
  @discardableResult
  public func inviteUserIDs(_ userIDs: [String]) async throws(ParleyError) -> InvitationResult {
    try await core.perform(inviting(userIDs))
  }

  /// Adds users; see ``inviteUserIDs(_:)``.
  @discardableResult
  public func invite(_ users: [User]) async throws(ParleyError) -> InvitationResult {
    try await inviteUserIDs(users.map(\.userID))
  }

  /// Accepts the invitation of the current user.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400920 without an invitation.
  public func acceptInvitation() async throws(ParleyError) {
    try await core.perform(core.groupCalls.accept(url).map(read))
  }

  /// Declines the invitation of the current user.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400920 without an invitation.
  public func declineInvitation() async throws(ParleyError) {
    try await core.perform(GroupCalls.decline(url))
  }

  /// Joins a public group.
  ///
  /// - Parameter accessCode: Required if ``isAccessCodeRequired``.
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400111 for a wrong code;
  ///   ``ParleyError/banned``.
  public func join(accessCode: String? = nil) async throws(ParleyError) {
    try await core.perform(core.groupCalls.join(url, accessCode: accessCode).map(read))
  }

  /// Leaves the group.
  ///
  /// The user loses the history, and begins another one when it joins again.
  public func leave() async throws(ParleyError) {
    try await core.perform(GroupCalls.leave(url))
  }

  /// Removes members, joined or invited; only operators may do this.
  ///
  /// Removed users are not banned: they may be invited again.
  ///
  /// - Parameter userIDs: 1 to 100 users.
  public func removeMembers(userIDs: [String]) async throws(ParleyError) {
    try await core.perform(removing(userIDs))
  }

  /// Returns a query for the members, page by page, in the order in which they were added.
  public func createMemberListQuery(
    params: MemberListQueryParams = MemberListQueryParams()
  ) -> MemberListQuery {
    MemberListQuery(channel: self, params: params.values)
  }

  func inviting(_ userIDs: [String]) -> Call<InvitationResult> {
    core.groupCalls.invite(url, userIDs).map { [read] (properties, result) in
      read(properties)
      return result
    }
  }

  func removing(_ userIDs: [String]) -> Call<Void> {
    core.groupCalls.remove(url, userIDs).map { [read] properties in
      if let properties { read(properties) }
    }
  }

  /// Replaces the properties with those of an answer.
  var read: @Sendable (ChannelProperties) -> Void {
    { [self] in _ = core.group($0) }
  }
}
