/// How far the deletion of a user has come.
package enum UserDeletion: Sendable, Hashable {
  /// The user is gone.
  case finished(UserTraces)
  /// The user had a part in many channels and is still there: delete it again, in a job of its own,
  /// so that other jobs get their turn.
  case unfinished(UserTraces)

  /// What this step took away.
  package var traces: UserTraces {
    switch self {
    case .finished(let traces), .unfinished(let traces): traces
    }
  }
}

/// The parts in channels that a user lost by its deletion.
package struct UserTraces: Sendable, Hashable {
  /// Channels in which it no longer is an operator, each with its event.
  package var operatorChanges: [ChannelMutation]
  /// URLs of the channels that it no longer is banned from; they recorded no event.
  package var unbannedFrom: [String]
  /// URLs of the channels that it no longer is muted in; they recorded no event.
  package var unmutedIn: [String]
}
