package import ParleyProtocol

/// A message about an HTTP request to an event stream.
///
///     shard of the request                   shard of the stream
///               ──────────── request ────────────►
///               ◄─────────── answer ─────────────
///               ◄────────── events, end ─────────     after the answer `events`
///               ──────── written, abandoned ─────►
package enum StreamMessage: Sendable, Hashable {
  case request(StreamRequest)
  case answer(StreamAnswer, to: ExchangeAddress)
  /// Events, or parts of events, as they are sent to the client.
  case events([UInt8], to: ExchangeAddress)
  /// The response is complete.
  case end(ExchangeAddress)
  /// This many bytes of events have been sent to the client since the last report.
  case written(byteCount: Int, of: ExchangeAddress)
  /// The client of the request is gone.
  case abandoned(ExchangeAddress)
}

/// A request to a stream.
package struct StreamRequest: Sendable, Hashable {
  package enum Action: Sendable, Hashable {
    case read(StreamReading)
    /// A message of the client, which confirms the events up to a number.
    case post([UInt8], after: UInt64)
    case close
  }

  /// The address in the path of the request: only the server that has issued it can check it.
  package let address: String
  package let action: Action
  package let exchange: ExchangeAddress

  package init(address: String, _ action: Action, from exchange: ExchangeAddress) {
    self.address = address
    self.action = action
    self.exchange = exchange
  }
}

/// A request for the events of a stream.
package struct StreamReading: Sendable, Hashable {
  /// The largest padding, in bytes.
  package static let maximumPadding = 65_536

  /// The last event that the client has received; 0 for none.
  package let after: UInt64
  /// Whether the request is answered with the events that exist.
  package let isPoll: Bool
  /// The number of bytes that precede the first event, for proxies that hold back the beginning of a
  /// response.
  package let padding: Int

  package init(after: UInt64, isPoll: Bool, padding: Int) {
    self.after = after
    self.isPoll = isPoll
    self.padding = padding
  }
}

/// The answer to a request to a stream.
package enum StreamAnswer: Sendable, Hashable {
  /// The message was passed to the session.
  case accepted
  case closed
  /// Events follow, from the shard of the stream.
  case events(from: ShardAddress)
  /// The stream has ended, or the client is too late to continue it.
  case gone
  /// The server has not issued the address.
  case unknown
  case refused(ServiceError)
}
