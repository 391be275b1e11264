package import ParleyProtocol

/// An action that a ``ChannelStage`` asks of its host; the host carries actions out in their order.
package enum StageAction: Sendable {
  /// Deliver events to the subscribers on a shard.
  case deliver(FanOutPlan, shard: Int)
  /// Send the same notification to some connections of a shard.
  case notify([UInt8], [SessionAddress], shard: Int)
  /// Return the outcome of a call.
  case reply(ReplyAddress, CallOutcome)
  /// Subscribe a connection and return the result of `channel.enter`; deliveries that follow are
  /// for it too.
  case welcome(ReplyAddress, userID: String, result: [UInt8])
  /// Note that a connection that was to enter is not in the channel.
  case release(SessionPrincipal)
  /// Take a connection's subscription away: its user was put out.
  case unsubscribe(SessionAddress)
  /// Read events for a connection that enters.
  indirect case read(RecoveryRead)
  /// Count a user who is in the channel from now on.
  case entered(User)
  /// Count a user who is no longer in the channel.
  case left(User)
  /// Count messages that were withheld from participants.
  case withheld(Int)
  /// Give the stage ``StageInput/deadline`` at this time of the monotonic clock, and forget earlier
  /// requests.
  case wake(at: Int64)
}

/// The actions of a stage, gathered in memory that is reused.
package struct StageActions: Sendable {
  /// Memory for this many actions is kept.
  private static let keptCapacity = 256

  package private(set) var list: [StageAction] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  mutating func append(_ action: StageAction) {
    list.append(action)
  }

  /// Removes all actions and keeps their memory, unless there were very many.
  package mutating func removeAll() {
    list.removeAll(keepingCapacity: list.count <= Self.keptCapacity)
  }
}
