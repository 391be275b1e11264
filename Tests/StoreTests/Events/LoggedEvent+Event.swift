import ParleyProtocol

extension LoggedEvent {
  /// The whole event, in a channel that it does not show.
  func event() throws -> Event {
    try event(in: ChannelInfo(Channel(url: "lobby", createdAt: 0), participantCount: 0))
  }
}
