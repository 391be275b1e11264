import Channels

/// Reads any bytes as a message between shards.
///
/// What is read is written again as the very same bytes, so that a message has one form only, and
/// lengths and numbers that lead nowhere are refused.
enum ShardMessageHarness: Harness {
  static func run(_ input: [UInt8]) {
    if let relayed = try? RelayedMessage(decoding: input) {
      precondition(relayed.encoded() == input, "two forms of one message")
    }
    guard let message = try? ShardMessage(decoding: input) else { return }
    precondition(message.encoded() == input, "two forms of one message")
  }
}
