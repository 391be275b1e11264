package import ParleyProtocol

/// A connection of a member of a group that requests the events it missed.
///
/// Unlike an entering connection, it receives the group's present events already.
package struct MemberRecovery: Sendable {
  package let principal: SessionPrincipal
  /// The last event that the client received.
  package let position: StreamPosition
  /// The part of the group's past that the member may see.
  package let history: VisibleHistory
  /// The maximum size of the events.
  package let byteLimit: Int
  package let address: PollAddress

  package init(
    _ principal: SessionPrincipal, after position: StreamPosition, in history: VisibleHistory,
    byteLimit: Int, replyTo address: PollAddress
  ) {
    self.principal = principal
    self.position = position
    self.history = history
    self.byteLimit = byteLimit
    self.address = address
  }
}

/// The part of a group's past that a member may see, in Unix milliseconds.
package struct VisibleHistory: Sendable, Hashable {
  /// See ``Member/visibleFrom``.
  package var messagesFrom: Int64
  /// The beginning of the membership: earlier events about the group are not shown.
  package var eventsFrom: Int64

  package init(messagesFrom: Int64, eventsFrom: Int64) {
    self.messagesFrom = messagesFrom
    self.eventsFrom = eventsFrom
  }

  /// The whole past, as in an open channel.
  static let whole = VisibleHistory(messagesFrom: 0, eventsFrom: 0)

  func contains(_ event: DurableEvent) -> Bool {
    switch event {
    case .received(let message, _), .updated(let message, _, _):
      message.createdAt >= messagesFrom
    case .deleted(_, _, let timestamp): timestamp >= eventsFrom
    case .channel(let event): event.timestamp >= eventsFrom
    }
  }
}

/// The events that a connection of a member has missed in a group.
package struct RecoveredGroup: Sendable, Hashable {
  /// Identifies the life of the group's count of events.
  package let epoch: String
  /// The last event before the answer.
  package let seq: Int64
  /// Complete notifications, in order; `nil` if they can't be recovered, or exceed the limit.
  package let events: [[UInt8]]?

  package init(epoch: String, seq: Int64, events: [[UInt8]]?) {
    self.epoch = epoch
    self.seq = seq
    self.events = events
  }
}

/// A connection whose missed events are read.
enum RecoveryRequest: Sendable {
  case entering(EnterRequest)
  case member(MemberRecovery)

  var principal: SessionPrincipal {
    switch self {
    case .entering(let request): request.principal
    case .member(let request): request.principal
    }
  }

  /// The last event that the client received.
  var seq: Int64 {
    switch self {
    case .entering(let request): request.recover?.seq ?? 0
    case .member(let request): request.position.seq
    }
  }

  /// The maximum size of the missed events.
  var eventByteLimit: Int {
    switch self {
    case .entering(let request): request.eventByteLimit
    case .member(let request): request.byteLimit
    }
  }
}
