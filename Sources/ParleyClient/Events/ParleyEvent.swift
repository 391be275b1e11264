/// An event of a client other than the result of a call.
public enum ParleyEvent: Sendable {
  /// An event in an entered channel.
  case channel(OpenChannel, OpenChannelEvent)
  /// An event in a group of the current user.
  case group(GroupChannel, GroupChannelEvent)
  /// An event of the connection.
  case connection(ConnectionEvent)
  /// The current user was mentioned in a channel that this client has not entered.
  case mentioned(any BaseMessage)
  /// The numbers over all groups of the current user have changed; see
  /// ``ParleyClient/ParleyClient/startWatchingUnreadTotals()``.
  case unreadTotalsChanged(UnreadTotals)
  /// The number of events dropped from the full buffer of this consumer, which did not keep up.
  case dropped(count: Int)
}

/// An event in an entered channel.
///
/// The client learns of its own actions from the results of its calls: its own messages and edits
/// cause no events.
public enum OpenChannelEvent: Sendable {
  /// A message was sent.
  case messageReceived(any BaseMessage)
  /// A message was changed, or its preview arrived. The client may never have received this message.
  case messageUpdated(any BaseMessage)
  /// The message of this id was deleted.
  case messageDeleted(messageID: Int64)
  /// Messages were withheld because the channel is too busy; they can be fetched.
  case messagesThrottled(ThrottledMessages)
  /// The channel's name, cover, data or type changed; the ``OpenChannel`` has the new values.
  case changed
  /// Only operators may send from now on.
  case frozen
  /// Everyone may send again.
  case unfrozen
  /// The channel was deleted, so the client is no longer in it.
  case deleted
  /// The operators of the channel changed.
  case operatorsChanged([User])
  /// A user entered the channel.
  case userEntered(User)
  /// A user left.
  case userExited(User)
  /// The number of participants of a large channel changed; such channels do not report single users.
  case participantCountChanged(Int)
  /// A user was muted and may no longer send.
  case userMuted(User, RestrictionDetails)
  /// A user may send again.
  case userUnmuted(User)
  /// A user was banned; if it is the current user, the client has left the channel.
  case userBanned(User, RestrictionDetails)
  /// A user may enter the channel again.
  case userUnbanned(User)
  /// The channel was re-entered after a lost connection, and nothing was missed: this number of
  /// events happened in between and was delivered before this event.
  case recovered(eventCount: Int)
  /// The channel could not be re-entered with all its events; the value has the reason.
  case eventsLost(EventLoss)
  /// The number of events dropped from the full buffer of this consumer, which did not keep up.
  case dropped(count: Int)
}

/// Messages that were withheld by smart throttling.
public struct ThrottledMessages: Sendable, Hashable {
  /// The number of messages.
  public let count: Int
  /// The id of the first.
  public let firstMessageID: Int64
  /// The id of the last; messages between the two may have been delivered.
  public let lastMessageID: Int64
}

/// The end of a mute or ban, and its description.
public struct RestrictionDetails: Sendable, Hashable {
  /// The duration, counted from the event.
  public let seconds: Int64
  /// The operator's description; empty if there is none.
  public let description: String
}

/// The reason why a channel's events are not continuous across a lost connection.
public enum EventLoss: Sendable, Hashable {
  /// The client is in the channel again, but the events in between are unknown: fetch the messages.
  case gap
  /// The current user was banned in between: the client has left the channel.
  case banned
  /// The channel was deleted in between, or the user is no longer a member of the group.
  case deleted
  /// The server refused to let the client re-enter: the client has left the channel.
  case refused(ParleyError)

  init(_ failure: RecoveryFailure) {
    self =
      switch failure {
      case .gap: .gap
      case .banned: .banned
      case .deleted: .deleted
      case .refused(let error): .refused(error)
      }
  }

  /// Whether the client is still in the channel.
  public var isInChannel: Bool { self == .gap }
}

/// The events after the creation of the sequence, in order.
///
///     for await event in channel.events {
///       if case .messageReceived(let message) = event { show(message) }
///     }
///
/// Each sequence is one consumer with its own buffer
/// (``ParleyClientConfiguration/maximumBufferedEvents``). When the buffer is full, the oldest event
/// is dropped, and an event `dropped` reports the number. Two iterations over one sequence divide
/// its events; request another sequence instead. The sequence ends when the client is released.
public struct ParleyEvents<Element: Sendable>: AsyncSequence, Sendable {
  /// Never fails.
  public typealias Failure = Never

  let subscription: EventSubscription<Element>

  /// Starts with the oldest event that was not consumed.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription)
  }

  /// Returns events one at a time.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: EventSubscription<Element>

    /// Waits for the next event; `nil` when the client is released or the task is cancelled.
    public mutating func next() async -> Element? {
      await subscription.next()
    }

    /// Waits for the next event, on any actor.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> Element? {
      await subscription.next()
    }
  }
}
