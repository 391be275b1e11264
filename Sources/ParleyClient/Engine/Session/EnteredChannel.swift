/// A channel that the client is in, or was in when the connection was lost.
struct EnteredChannel: Sendable {
  /// How a channel is to be entered again.
  enum Recovery: Sendable, Hashable {
    /// With all that was missed.
    case wanted
    /// Without: the answer was larger than this client takes.
    case forgone
  }

  /// Whether this connection is in the channel.
  enum Presence: Sendable, Hashable {
    case inside
    /// The connection that was in it is gone.
    case outside
    /// The request to leave is on its way.
    case leaving
  }

  /// `nil` when the server's answer gave none: nothing can be recovered then.
  var position: ChannelPosition?
  var presence = Presence.inside
  var recovery = Recovery.wanted
  /// How often in a row the server failed to let the client in again.
  var failureCount = 0

  /// The position to recover from.
  var recoverable: ChannelPosition? { recovery == .wanted ? position : nil }

  /// Counts a durable event, and says whether it is news.
  mutating func admit(_ seq: Int64) -> Bool {
    guard let known = position else { return true }
    guard known.isNew(seq) else { return false }
    // Before the channel is entered again nothing is in its order.
    if presence == .outside { position?.note(seq) } else { position?.reach(seq) }
    return true
  }
}
