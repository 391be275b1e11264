/// Receives the events of the groups of a client's user.
///
/// Called as an ``OpenChannelDelegate`` is, and also held weakly.
public protocol GroupChannelDelegate: BaseChannelDelegate {
  /// A message was sent by another user, or by the same user elsewhere.
  func channel(_ channel: GroupChannel, didReceive message: any BaseMessage)
  /// A message was changed, or its preview arrived.
  func channel(_ channel: GroupChannel, didUpdate message: any BaseMessage)
  /// A message was deleted.
  func channel(_ channel: GroupChannel, messageWasDeleted messageID: Int64)
  /// Messages were withheld because the group is too busy.
  func channel(_ channel: GroupChannel, messagesThrottled messages: ThrottledMessages)
  /// The group's name, cover, data or type changed.
  func channelWasChanged(_ channel: GroupChannel)
  /// Only operators may send from now on.
  func channelWasFrozen(_ channel: GroupChannel)
  /// Everyone may send again.
  func channelWasUnfrozen(_ channel: GroupChannel)
  /// The operators of the group changed.
  func channelOperatorsDidUpdate(_ channel: GroupChannel)
  /// Users were invited, among them perhaps the current user. The inviter is `nil` for the Platform API.
  func channel(_ channel: GroupChannel, didReceiveInvitation invitees: [User], inviter: User?)
  /// An invited user declined.
  func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User)
  /// A user joined.
  func channel(_ channel: GroupChannel, userDidJoin user: User)
  /// A joined member is no longer one.
  func channel(_ channel: GroupChannel, userDidLeave user: User, reason: MembershipEnd)
  /// The numbers of members of a large group changed, in place of calls about single users.
  func channelDidChangeMemberCount(_ channel: GroupChannel)
  /// The current user is no longer a member; no event of the group follows.
  func channel(_ channel: GroupChannel, membershipDidEnd reason: MembershipEnd)
  /// The user has marked messages as read or unread elsewhere, reset its history or changed its
  /// ``GroupChannel/myCountPreference``.
  func channelDidChangeUnreadMessageCount(_ channel: GroupChannel)
  /// The user has hidden the group elsewhere.
  func channelWasHidden(_ channel: GroupChannel)
  /// The group is shown again: the user has done so elsewhere, or a message has arrived.
  func channelWasUnhidden(_ channel: GroupChannel)
  /// Members have read further: see ``GroupChannel/getReadStatus(includeAllMembers:)``.
  func channelDidUpdateReadStatus(_ channel: GroupChannel)
  /// Clients of members have received further messages: see ``GroupChannel/getUndeliveredMemberCount(_:)``.
  func channelDidUpdateDeliveryStatus(_ channel: GroupChannel)
  /// Other members begin or end typing: see ``GroupChannel/getTypingUsers()``.
  func channelDidUpdateTypingStatus(_ channel: GroupChannel)
  /// A user was muted and may no longer send.
  func channel(
    _ channel: GroupChannel, userWasMuted user: User, restriction: RestrictionDetails)
  /// A user may send again.
  func channel(_ channel: GroupChannel, userWasUnmuted user: User)
  /// A user was banned.
  func channel(
    _ channel: GroupChannel, userWasBanned user: User, restriction: RestrictionDetails)
  /// A user may join again.
  func channel(_ channel: GroupChannel, userWasUnbanned user: User)
  /// After a lost connection, the group was read again, and nothing is missing.
  func channel(_ channel: GroupChannel, didRecover eventCount: Int)
  /// After a lost connection, events are missing: fetch the messages.
  func channel(_ channel: GroupChannel, didLoseEvents loss: EventLoss)
  /// The numbers over all groups have changed; see
  /// ``ParleyClient/ParleyClient/startWatchingUnreadTotals()``.
  func didChangeUnreadTotals(_ totals: UnreadTotals)
}

/// Default implementations that do nothing.
extension GroupChannelDelegate {
  /// Does nothing.
  public func channel(_ channel: GroupChannel, didReceive message: any BaseMessage) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, didUpdate message: any BaseMessage) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, messageWasDeleted messageID: Int64) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, messagesThrottled messages: ThrottledMessages) {}
  /// Does nothing.
  public func channelWasChanged(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelWasFrozen(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelWasUnfrozen(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelOperatorsDidUpdate(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channel(
    _ channel: GroupChannel, didReceiveInvitation invitees: [User], inviter: User?
  ) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, didDeclineInvitation invitee: User) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, userDidJoin user: User) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, userDidLeave user: User, reason: MembershipEnd) {}
  /// Does nothing.
  public func channelDidChangeMemberCount(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, membershipDidEnd reason: MembershipEnd) {}
  /// Does nothing.
  public func channelDidChangeUnreadMessageCount(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelWasHidden(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelWasUnhidden(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelDidUpdateReadStatus(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelDidUpdateDeliveryStatus(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channelDidUpdateTypingStatus(_ channel: GroupChannel) {}
  /// Does nothing.
  public func channel(
    _ channel: GroupChannel, userWasMuted user: User, restriction: RestrictionDetails
  ) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, userWasUnmuted user: User) {}
  /// Does nothing.
  public func channel(
    _ channel: GroupChannel, userWasBanned user: User, restriction: RestrictionDetails
  ) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, userWasUnbanned user: User) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, didRecover eventCount: Int) {}
  /// Does nothing.
  public func channel(_ channel: GroupChannel, didLoseEvents loss: EventLoss) {}
  /// Does nothing.
  public func didChangeUnreadTotals(_ totals: UnreadTotals) {}
}

extension GroupChannelDelegate {
  /// Calls the method for an event.
  func tell(_ event: GroupChannelEvent, in channel: GroupChannel) {
    switch event {
    case .messageReceived(let message): self.channel(channel, didReceive: message)
    case .messageUpdated(let message): self.channel(channel, didUpdate: message)
    case .messageDeleted(let id): self.channel(channel, messageWasDeleted: id)
    case .messagesThrottled(let messages): self.channel(channel, messagesThrottled: messages)
    case .changed: channelWasChanged(channel)
    case .frozen: channelWasFrozen(channel)
    case .unfrozen: channelWasUnfrozen(channel)
    case .deleted: channelWasDeleted(channel.url)
    case .operatorsChanged: channelOperatorsDidUpdate(channel)
    case .invitationReceived(let users, let inviter):
      self.channel(channel, didReceiveInvitation: users, inviter: inviter)
    case .invitationDeclined(let user): self.channel(channel, didDeclineInvitation: user)
    case .userJoined(let user): self.channel(channel, userDidJoin: user)
    case .userLeft(let user, let reason):
      self.channel(channel, userDidLeave: user, reason: reason)
    case .memberCountChanged: channelDidChangeMemberCount(channel)
    case .membershipEnded(let reason): self.channel(channel, membershipDidEnd: reason)
    case .unreadMessageCountChanged: channelDidChangeUnreadMessageCount(channel)
    case .hidden: channelWasHidden(channel)
    case .unhidden: channelWasUnhidden(channel)
    case .readStatusChanged: channelDidUpdateReadStatus(channel)
    case .deliveryStatusChanged: channelDidUpdateDeliveryStatus(channel)
    case .typingStatusChanged: channelDidUpdateTypingStatus(channel)
    case .userMuted(let user, let details):
      self.channel(channel, userWasMuted: user, restriction: details)
    case .userUnmuted(let user): self.channel(channel, userWasUnmuted: user)
    case .userBanned(let user, let details):
      self.channel(channel, userWasBanned: user, restriction: details)
    case .userUnbanned(let user): self.channel(channel, userWasUnbanned: user)
    case .recovered(let count): self.channel(channel, didRecover: count)
    case .eventsLost(let loss): self.channel(channel, didLoseEvents: loss)
    case .dropped:
      // A notice for a single consumer; delegates get one for all channels together.
      break
    }
  }
}
