/// The calls about a channel, with completion handlers in the style of other chat SDKs.
///
/// Each handler is called once, on the client's callback queue; without an error the call succeeded.
extension OpenChannel {
  /// Enters the channel; see ``enter()``.
  public func enter(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(entering, handler: completionHandler)
  }

  /// Leaves the channel; see ``exit()``.
  public func exit(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.exit(url), handler: completionHandler)
  }

  /// Fetches the current properties of the channel; see ``refresh()``.
  public func refresh(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.get(url).map(replace), handler: completionHandler)
  }

  /// Changes the channel; see ``update(params:)``.
  public func update(
    params: OpenChannelUpdateParams, completionHandler: @escaping @Sendable (ParleyError?) -> Void
  ) {
    core.start(
      params.values, { [self] in ChannelCalls.update(url, $0).map(replace) },
      handler: { _, error in completionHandler(error) })
  }

  /// Deletes the channel; see ``delete()``.
  public func delete(completionHandler: @escaping @Sendable (ParleyError?) -> Void) {
    core.start(ChannelCalls.delete(url), handler: completionHandler)
  }
}
