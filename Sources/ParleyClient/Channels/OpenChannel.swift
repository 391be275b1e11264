/// An open channel: everyone with its URL may enter, and receives messages sent after that.
///
/// A client has one object for each channel. Its properties are the latest that the server sent.
/// Events keep them up to date while the client is in the channel; otherwise call ``refresh()``.
public final class OpenChannel: BaseChannel {
  /// The client and the properties of the channel.
  public let state: ChannelState

  init(_ snapshot: ChannelSnapshot, _ core: ClientCore) {
    state = ChannelState(ChannelProperties(snapshot), core)
  }

  /// The number of users in the channel.
  public var participantCount: Int { snapshot.participantCount }
  /// Whether this client is in the channel.
  public var isEntered: Bool { core.channels.isEntered(url) }

  /// The events of the channel from now on, for one consumer; see ``ParleyEvents``.
  public var events: ParleyEvents<OpenChannelEvent> { core.streams.events(ofChannel: url) }
}

extension OpenChannel {
  /// Enters the channel: from now on the client delivers the channel's events.
  ///
  /// After a lost connection the client enters the channel again and delivers the missed events. A
  /// user may be in 10 channels at once.
  ///
  /// - Throws: ``ParleyError/banned``; ``ParleyError/notFound(_:)`` when the channel was deleted.
  public func enter() async throws(ParleyError) {
    try await core.perform(entering)
  }

  /// The request to enter; the object must live until the response marks it as entered.
  var entering: Call<Void> { ChannelCalls.enter(url).map(replace) }

  /// Leaves the channel: the client delivers no more events.
  public func exit() async throws(ParleyError) {
    try await core.perform(ChannelCalls.exit(url))
  }

  /// Fetches the current properties of the channel.
  public func refresh() async throws(ParleyError) {
    try await core.perform(ChannelCalls.get(url).map(replace))
  }

  /// Changes the channel; only operators may do this.
  public func update(params: OpenChannelUpdateParams) async throws(ParleyError) {
    try await core.perform(params.values) { ChannelCalls.update(url, $0).map(replace) }
  }

  /// Deletes the channel with its messages; only operators may do this.
  public func delete() async throws(ParleyError) {
    try await core.perform(ChannelCalls.delete(url))
  }

  /// Returns a query for the users in the channel, page by page.
  ///
  /// - Parameter limit: The maximum number of users on a page, 1 to 100.
  public func createParticipantListQuery(limit: Int = 20) -> ParticipantListQuery {
    ParticipantListQuery(channel: self, limit: limit)
  }
}
