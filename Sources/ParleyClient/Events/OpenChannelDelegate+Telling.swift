extension OpenChannelDelegate {
  /// Calls the method that goes with an event.
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
      // A consumer's own notice; delegates get it for all channels together.
      break
    }
  }
}
