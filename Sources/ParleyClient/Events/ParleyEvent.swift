/// An event of a client that is not an answer to a call.
public enum ParleyEvent: Sendable {
  /// Something happened in a channel that was entered.
  case channel(OpenChannel, OpenChannelEvent)
  /// Something happened to the connection.
  case connection(ConnectionEvent)
  /// The current user was mentioned in a channel that this client has not entered.
  case mentioned(any BaseMessage)
  /// The number of events dropped from the full buffer of this consumer, which did not keep up.
  case dropped(count: Int)
}

/// An event in a channel that was entered.
///
/// The client learns of its own actions from its calls: a message that it sends or edits is no event
/// for it.
public enum OpenChannelEvent: Sendable {
  /// A message was sent.
  case messageReceived(any BaseMessage)
  /// A message was changed, or its preview has come. It may be one that was never received.
  case messageUpdated(any BaseMessage)
  /// The message of this id was deleted.
  case messageDeleted(messageID: Int64)
  /// Messages were withheld because the channel is too busy: fetch them to see them.
  case messagesThrottled(ThrottledMessages)
  /// The channel's name, cover, data or type changed; the ``OpenChannel`` has the new ones.
  case changed
  /// Only operators may send from now on.
  case frozen
  /// Everyone may send again.
  case unfrozen
  /// The channel was deleted, and with that left.
  case deleted
  /// The channel has other operators now.
  case operatorsChanged([User])
  /// A user came in.
  case userEntered(User)
  /// A user left.
  case userExited(User)
  /// The number of participants of a large channel changed; single users are not reported there.
  case participantCountChanged(Int)
  /// A user may not send any more.
  case userMuted(User, RestrictionDetails)
  /// A user may send again.
  case userUnmuted(User)
  /// A user was put out; if it is the current one, the channel is left.
  case userBanned(User, RestrictionDetails)
  /// A user may come in again.
  case userUnbanned(User)
  /// The channel was entered again after the connection had been lost, and nothing was missed:
  /// this number of events happened meanwhile and was delivered before.
  case recovered(eventCount: Int)
  /// The channel could not be entered again as it was left; see why.
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
  /// The id of the last; between the two there may be messages that were shown.
  public let lastMessageID: Int64
}

/// The end of a mute or ban, and its description.
public struct RestrictionDetails: Sendable, Hashable {
  /// From the event on.
  public let seconds: Int64
  /// The operator's words; empty when there are none.
  public let description: String
}

/// The reason why a channel's events are not continuous across a lost connection.
public enum EventLoss: Sendable, Hashable {
  /// The channel is entered again, but what happened meanwhile is not known: fetch the messages.
  case gap
  /// The current user was banned meanwhile: the channel is left.
  case banned
  /// The channel was deleted meanwhile: it is left.
  case deleted
  /// The server would not let the client in again: the channel is left.
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

  /// Whether the channel is still entered.
  public var isInChannel: Bool { self == .gap }
}

/// The events after the creation of the sequence, in order.
///
///     for await event in channel.events {
///       if case .messageReceived(let message) = event { show(message) }
///     }
///
/// Each sequence is one consumer with a buffer of its own
/// (``ParleyClientConfiguration/maximumBufferedEvents``). When it is full, the oldest event makes
/// room, and an event `dropped` reports the number. Iterating over one sequence twice divides the
/// events; ask for another sequence instead. It ends when the client is given up.
public struct ParleyEvents<Element: Sendable>: AsyncSequence, Sendable {
  /// Never fails.
  public typealias Failure = Never

  let subscription: EventSubscription<Element>

  /// Begins with the oldest event that was not taken yet.
  public func makeAsyncIterator() -> Iterator {
    Iterator(subscription: subscription)
  }

  /// Takes events one after the other.
  public struct Iterator: AsyncIteratorProtocol {
    let subscription: EventSubscription<Element>

    /// Waits for the next event; `nil` when the client is given up or the task is cancelled.
    public mutating func next() async -> Element? {
      await subscription.next()
    }

    /// Waits for the next event, wherever the caller runs.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async -> Element? {
      await subscription.next()
    }
  }
}
