import Channels
import ParleyProtocol
import Reactor
import Store

/// A message after a change, encoded once for the answer and the event.
struct MessageUpdate: Sendable {
  let messageID: Int64
  let seq: Int64
  /// Unix milliseconds.
  let timestamp: Int64
  /// The message as clients see it.
  let encoded: [UInt8]
  /// The connection that learns of it by the answer to its request.
  let author: SessionAddress?
}

extension HomeChannel {
  /// Publishes that a message changed.
  func publishUpdate(_ update: MessageUpdate) {
    let payload = EventEncoder.messageUpdated(
      origin(at: update.timestamp), seq: update.seq, message: update.encoded)
    publish(
      ChannelEvent(
        payload: payload, subject: .update(ofMessage: update.messageID), seq: update.seq,
        timestamp: update.timestamp, author: update.author))
    queueWebhook(.messageUpdated, seq: update.seq, at: update.timestamp, payload)
  }

  /// Publishes a change that the server itself made, to the author's connections too.
  func publishUpdate(of changed: SequencedMessage, at timestamp: Int64) {
    publishUpdate(
      MessageUpdate(
        messageID: changed.message.id, seq: changed.seq, timestamp: timestamp,
        encoded: changed.message.encoded(), author: nil))
  }
}
