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
