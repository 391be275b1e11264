package import Channels
package import ParleyProtocol

/// A channel after a change.
package struct ChannelMutation: Sendable, Hashable {
  package var channel: Channel
  /// The event that tells of it; `nil` when nothing had to change.
  package var event: RecordedEvent?
}
