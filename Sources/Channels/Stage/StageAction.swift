package import ParleyProtocol

/// An action that a ``ChannelStage`` requests from its host, which carries out actions in order.
package enum StageAction: Sendable {
  /// Deliver events to the subscribers on a shard.
  case deliver(FanOutPlan, shard: Int)
  /// Send the same notification to some connections of a shard.
  case notify([UInt8], [SessionAddress], shard: Int)
  /// Return the outcome of a call.
  case reply(ReplyAddress, CallOutcome)
  /// Subscribe a connection and return the result of `channel.enter`; the connection receives all
  /// later deliveries.
  case welcome(ReplyAddress, userID: String, result: [UInt8])
  /// Return the missed events of a group to a connection of a member.
  indirect case recovered(Result<RecoveredGroup, ServiceError>, replyTo: PollAddress)
  /// Return the result of `channel.enter` to an observer, which receives events from here on.
  indirect case admitObserver(ReplyAddress, result: [UInt8])
  /// Search the connections of a user who has joined a group; ``StageInput/seats(_:)`` follows.
  case seek(userID: String)
  /// Subscribe a connection of a member of a group, which receives all later deliveries.
  case subscribe(Seat)
  /// Make a connection of a member ready once more, after it was added to its groups again: it may be missing here,
  /// or have received events that lack what clients count by.
  case renew(Seat)
  /// Record that an entering connection is not in the channel.
  case release(SessionPrincipal)
  /// End a connection's subscription: its user was removed.
  case unsubscribe(SessionAddress)
  /// Close a connection, so that its client reconnects and requests the missed events.
  case disconnect(SessionAddress)
  /// Send a message to the channel's home on another server.
  indirect case report(StageReport)
  /// Read the events after a given one, to repair the attachment with this number.
  case repair(UInt64, channelID: Int64, after: Int64)
  /// Attach to the channel's home again, after a pause.
  case reattach
  /// Read events for a connection that missed them.
  indirect case read(RecoveryRead)
  /// Report a user who is now on the stage, with this connection.
  case entered(User, SessionAddress)
  /// Report a user who is no longer on the stage.
  case left(userID: String)
  /// Count messages that were withheld from participants.
  case withheld(Int)
  /// Send ``StageInput/deadline`` at this time of the monotonic clock; replaces earlier requests.
  case wake(at: Int64)
}

/// The actions of a stage, collected in reused memory.
package struct StageActions: Sendable {
  /// Memory for this many actions is kept.
  private static let keptCapacity = 256

  package private(set) var list: [StageAction] = []

  package init() {}

  package var isEmpty: Bool { list.isEmpty }

  package var count: Int { list.count }

  /// Takes an action, once.
  ///
  /// It is moved, since actions are large.
  package mutating func take(_ index: Int) -> StageAction {
    var action = StageAction.reattach
    swap(&action, &list[index])
    return action
  }

  mutating func append(_ action: StageAction) {
    list.append(action)
  }

  /// Sends the same notifications to connections of any shard.
  mutating func notify(_ connections: [SessionAddress], _ notifications: [[UInt8]]) {
    for (shard, group) in Dictionary(grouping: connections, by: \.shard) {
      for notification in notifications {
        append(.notify(notification, group, shard: Int(shard)))
      }
    }
  }

  /// Removes all actions and keeps their memory, unless there were very many.
  package mutating func removeAll() {
    list.removeAll(keepingCapacity: list.count <= Self.keptCapacity)
  }
}

/// The deliveries of one turn's events to the subscribers on one shard: the same events to nearly all,
/// and others to a few.
package struct FanOutPlan: Sendable {
  /// The maximum number of events in one plan.
  package static let capacity = 64

  /// A set of a plan's events, by their index.
  package struct Share: Hashable, Sendable {
    package var bits: UInt64

    package init(bits: UInt64) {
      self.bits = bits
    }

    package static func all(of count: Int) -> Share {
      Share(bits: count >= 64 ? .max : (1 << UInt64(count)) - 1)
    }

    package var count: Int { bits.nonzeroBitCount }

    package func contains(_ index: Int) -> Bool { bits & (1 << UInt64(index)) != 0 }

    package mutating func remove(_ index: Int) { bits &= ~(1 << UInt64(index)) }
  }

  /// A connection that gets another share than most.
  package struct Exception: Sendable {
    /// As in its ``SessionAddress``.
    package let connection: UInt64
    package let share: Share

    package init(connection: UInt64, share: Share) {
      self.connection = connection
      self.share = share
    }
  }

  package let channelURL: String
  /// The events as JSON texts, in order.
  package let payloads: [[UInt8]]
  /// The share of all connections that are not in ``exceptions``.
  package let common: Share
  /// Connections of this shard, each at most once.
  package let exceptions: [Exception]
}
