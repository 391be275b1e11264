package import ParleyProtocol

/// A channel after a change.
package struct ChannelMutation: Sendable, Hashable {
  package var channel: Channel
  /// The event of the change; `nil` when nothing had to change.
  package var event: LoggedEvent?
}
