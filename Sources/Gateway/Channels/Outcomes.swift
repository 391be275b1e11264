import Channels
import ParleyProtocol
import Store

extension HomeChannel {
  /// Takes what an operation came to: once, on the channel's node, and with nothing encoded, since
  /// each door has a shape of its own.
  typealias Answer<Value> = @Sendable (HomeChannel, Result<Value, ServiceError>) -> Void

  /// The channel as it is.
  var view: ChannelView { ChannelView(channel: record, participantCount: stage.participantCount) }
}

/// Users in a channel, in the order in which they entered, and the token of the next page.
struct ParticipantPage: Sendable {
  let users: [User]
  let next: String
}

/// A message after a change, encoded once for the answer and the event.
struct ChangedMessage: Sendable {
  let message: Message
  /// The message as clients see it.
  let encoded: [UInt8]

  init(_ message: Message) {
    self.message = message
    encoded = message.encoded()
  }
}

/// A message that is durable, or told in a channel that keeps none.
struct SentMessage: Sendable {
  /// How the message came to be there.
  enum Arrival: Sendable {
    case sent
    /// By an earlier send with the same `req_id`.
    case repeated
  }

  let message: Message
  let seq: Int64
  let arrival: Arrival
  /// The message as clients see it: encoded once, for the answer and for the event.
  let encoded: [UInt8]

  init(_ message: Message, seq: Int64, _ arrival: Arrival = .sent) {
    self.message = message
    self.seq = seq
    self.arrival = arrival
    encoded = message.encoded()
  }

  /// About what it holds in memory: the message's texts, and the same once more encoded.
  var byteCount: Int { 2 * encoded.count + 1_024 }
}
