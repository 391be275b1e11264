extension ParleyClient {
  /// Creates a channel, of which the current user is an operator.
  ///
  /// - Throws: ``ParleyError/refused(code:message:field:)`` with 400202 when the URL is taken.
  public func createOpenChannel(
    params: OpenChannelCreateParams
  ) async throws(ParleyError) -> OpenChannel {
    try await core.perform(ChannelCalls.create(params).map(core.channel))
  }

  /// Looks a channel up.
  ///
  /// - Throws: ``ParleyError/notFound(_:)``.
  public func openChannel(url: String) async throws(ParleyError) -> OpenChannel {
    try await core.perform(ChannelCalls.get(url).map(core.channel))
  }

  /// Channels page by page, newest first.
  public func createOpenChannelListQuery(
    params: OpenChannelListQueryParams = OpenChannelListQueryParams()
  ) -> OpenChannelListQuery {
    OpenChannelListQuery(params, core)
  }
}
