import ParleyProtocol
import Store

extension HomeChannel {
  /// Takes what an operation came to: once, on the channel's node, and with nothing encoded, since
  /// each door has a shape of its own.
  typealias Answer<Value> = @Sendable (HomeChannel, Result<Value, ServiceError>) -> Void

  /// The channel as it is.
  var view: ChannelView { ChannelView(channel: record, participantCount: participants.count) }
}

/// A channel with what its record does not know.
struct ChannelView: Sendable {
  let channel: Channel
  let participantCount: Int
}

/// Channels with their participants, and the token of the next page, empty at the end.
struct ChannelListing: Sendable {
  let channels: [ChannelView]
  let next: String
}

/// Users in a channel, in the order in which they entered, and the token of the next page.
struct ParticipantPage: Sendable {
  let users: [User]
  let next: String
}

/// A message that is durable, or told in a channel that keeps none.
struct SentMessage: Sendable {
  let message: Message
  let seq: Int64
  /// The message as clients see it: encoded once, for the answer and for the event.
  let encoded: [UInt8]

  init(_ message: Message, seq: Int64) {
    self.message = message
    self.seq = seq
    encoded = message.encoded()
  }

  /// About what it holds in memory: the message's texts, and the same once more encoded.
  var byteCount: Int { 2 * encoded.count + 1_024 }
}
