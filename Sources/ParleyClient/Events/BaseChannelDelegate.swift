/// The events that delegates of all kinds of channels receive without a channel.
///
/// One object may be an ``OpenChannelDelegate`` and a ``GroupChannelDelegate``.
public protocol BaseChannelDelegate: AnyObject, Sendable {
  /// The channel was deleted; the client receives no more events of it.
  func channelWasDeleted(_ channelURL: String)
  /// Reports the number of events that were dropped because the delegates did not keep up.
  func eventsWereDropped(count: Int)
}

/// Default implementations that do nothing.
extension BaseChannelDelegate {
  /// Does nothing.
  public func channelWasDeleted(_ channelURL: String) {}
  /// Does nothing.
  public func eventsWereDropped(count: Int) {}
}
