internal import ParleyProtocol

/// An event of the engine that is not an answer to a call.
enum EngineEvent: Sendable {
  /// A notification of the server, as it came or out of the answer to a re-entering; each durable
  /// event of a channel comes once and in the channel's order.
  case notification(method: String, params: JSONNode?)
  /// The application's request to enter a channel was granted, even if nobody waits for that.
  case entered(channelURL: String)
  /// The client is no longer in a channel that the application asked to leave.
  case left(channelURL: String)
  /// A channel was entered again, and the `missed` events were delivered before this.
  case recovered(channelURL: String, missed: Int)
  /// A channel was entered again with a gap, or could not be entered again.
  case recoveryFailed(channelURL: String, reason: RecoveryFailure)
  /// The connection is in another state.
  case stateChanged(ConnectionState)
}

/// Why a channel's events are not continuous across a reconnection.
enum RecoveryFailure: Sendable {
  /// The channel is entered again, but what happened meanwhile is not known: fetch it.
  case gap
  /// The user is banned: the channel is left.
  case banned
  /// The channel does not exist any more: it is left.
  case deleted
  /// The server would not let the client in again for another reason: the channel is left.
  case refused(ParleyError)
}
