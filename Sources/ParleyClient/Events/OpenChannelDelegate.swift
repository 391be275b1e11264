/// Receives the events of the channels that a client has entered.
///
/// All methods are called one at a time on the client's callback queue; every method has a default
/// implementation. A slow method delays the next calls; see
/// ``ParleyClientConfiguration/maximumBufferedEvents``. A client holds its delegates weakly.
public protocol OpenChannelDelegate: BaseChannelDelegate {
  /// A message was sent by another user, or by the same user elsewhere.
  func channel(_ channel: OpenChannel, didReceive message: any BaseMessage)
  /// A message was changed, or its preview arrived.
  func channel(_ channel: OpenChannel, didUpdate message: any BaseMessage)
  /// A message was deleted.
  func channel(_ channel: OpenChannel, messageWasDeleted messageID: Int64)
  /// Messages were withheld because the channel is too busy.
  func channel(_ channel: OpenChannel, messagesThrottled messages: ThrottledMessages)
  /// The channel's name, cover, data or type changed.
  func channelWasChanged(_ channel: OpenChannel)
  /// Only operators may send from now on.
  func channelWasFrozen(_ channel: OpenChannel)
  /// Everyone may send again.
  func channelWasUnfrozen(_ channel: OpenChannel)
  /// The operators of the channel changed.
  func channelOperatorsDidUpdate(_ channel: OpenChannel)
  /// The number of participants of a large channel changed.
  func channelParticipantCountDidChange(_ channel: OpenChannel)
  /// A user entered the channel.
  func channel(_ channel: OpenChannel, userDidEnter user: User)
  /// A user left.
  func channel(_ channel: OpenChannel, userDidExit user: User)
  /// A user was muted and may no longer send.
  func channel(
    _ channel: OpenChannel, userWasMuted user: User, restriction: RestrictionDetails)
  /// A user may send again.
  func channel(_ channel: OpenChannel, userWasUnmuted user: User)
  /// A user was banned; if it is the current user, the client has left the channel.
  func channel(
    _ channel: OpenChannel, userWasBanned user: User, restriction: RestrictionDetails)
  /// A user may enter the channel again.
  func channel(_ channel: OpenChannel, userWasUnbanned user: User)
  /// After a lost connection, the missed events have been delivered.
  func channel(_ channel: OpenChannel, didRecover eventCount: Int)
  /// After a lost connection, events are missing: fetch the messages, or enter again.
  func channel(_ channel: OpenChannel, didLoseEvents loss: EventLoss)
  /// The current user was mentioned in a channel that this client has not entered.
  func currentUserWasMentioned(in message: any BaseMessage)
}

/// Default implementations that do nothing.
extension OpenChannelDelegate {
  /// Does nothing.
  public func channel(_ channel: OpenChannel, didReceive message: any BaseMessage) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, didUpdate message: any BaseMessage) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, messageWasDeleted messageID: Int64) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, messagesThrottled messages: ThrottledMessages) {}
  /// Does nothing.
  public func channelWasChanged(_ channel: OpenChannel) {}
  /// Does nothing.
  public func channelWasFrozen(_ channel: OpenChannel) {}
  /// Does nothing.
  public func channelWasUnfrozen(_ channel: OpenChannel) {}
  /// Does nothing.
  public func channelOperatorsDidUpdate(_ channel: OpenChannel) {}
  /// Does nothing.
  public func channelParticipantCountDidChange(_ channel: OpenChannel) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, userDidEnter user: User) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, userDidExit user: User) {}
  /// Does nothing.
  public func channel(
    _ channel: OpenChannel, userWasMuted user: User, restriction: RestrictionDetails
  ) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, userWasUnmuted user: User) {}
  /// Does nothing.
  public func channel(
    _ channel: OpenChannel, userWasBanned user: User, restriction: RestrictionDetails
  ) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, userWasUnbanned user: User) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, didRecover eventCount: Int) {}
  /// Does nothing.
  public func channel(_ channel: OpenChannel, didLoseEvents loss: EventLoss) {}
  /// Does nothing.
  public func currentUserWasMentioned(in message: any BaseMessage) {}
}

extension OpenChannelDelegate {
  /// Calls the method for an event.
  func tell(_ event: OpenChannelEvent, in channel: OpenChannel) {
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
    case .userEntered(let user): self.channel(channel, userDidEnter: user)
    case .userExited(let user): self.channel(channel, userDidExit: user)
    case .participantCountChanged: channelParticipantCountDidChange(channel)
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
