/// The pushes of one group.
extension GroupChannel {
  /// The messages of this group that are pushed to the current user, as far as this client knows.
  public var myPushTriggerOption: GroupChannelPushTriggerOption {
    state.view.my?.pushTrigger ?? .default
  }

  /// Chooses the messages of this group that are pushed to the current user.
  public func setMyPushTriggerOption(
    _ option: GroupChannelPushTriggerOption
  ) async throws(ParleyError) {
    try await core.perform(GroupCalls.prefer(url, option).map(setOwn))
  }

  /// Chooses the messages that are pushed; see ``setMyPushTriggerOption(_:)``.
  ///
  /// The handler is called once, on the client's callback queue; without an error the call succeeded.
  public func setMyPushTriggerOption(
    _ option: GroupChannelPushTriggerOption,
    completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(GroupCalls.prefer(url, option).map(setOwn), handler: completionHandler)
  }
}
