extension OpenChannel {
  /// Comes in: from now on the channel's events are delivered.
  ///
  /// After a lost connection the client enters again by itself and delivers what was missed. A user
  /// may be in 10 channels at once.
  ///
  /// - Throws: ``ParleyError/banned``; ``ParleyError/notFound(_:)`` when the channel was deleted.
  public func enter() async throws(ParleyError) {
    // The object must last until the answer marks it as entered.
    try await core.perform(ChannelCalls.enter(url).map { [self] in apply(.replaced($0)) })
  }

  /// Goes out: no more events are delivered.
  public func exit() async throws(ParleyError) {
    try await core.perform(ChannelCalls.exit(url))
  }

  /// Fetches the channel's properties anew.
  public func refresh() async throws(ParleyError) {
    try await core.perform(ChannelCalls.get(url).map(replace))
  }

  /// Changes the channel; for its operators.
  public func update(params: OpenChannelUpdateParams) async throws(ParleyError) {
    try await core.perform(ChannelCalls.update(url, params).map(replace))
  }

  /// Deletes the channel with its messages; for its operators.
  public func delete() async throws(ParleyError) {
    try await core.perform(ChannelCalls.delete(url))
  }

  /// Those who are in the channel, page by page.
  ///
  /// - Parameter limit: How many a page has at most, 1 to 100.
  public func createParticipantListQuery(limit: Int = 20) -> ParticipantListQuery {
    ParticipantListQuery(channel: self, limit: limit)
  }

  var replace: @Sendable (ChannelSnapshot) -> Void {
    { [self] in apply(.replaced($0)) }
  }
}
