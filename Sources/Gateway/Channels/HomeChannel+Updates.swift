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
  /// Takes over a new position in the channel's count, before its event is published.
  ///
  /// Updates that are held back and that the event may not overtake are published first.
  func reach(_ seq: Int64, at timestamp: Int64) {
    lastSeq = seq
    guard !updates.isIdle else { return }
    for update in updates.takeOvertaken(by: timestamp, at: node.loop.now) { publish(update) }
  }

  /// Publishes that a message changed, now or, when that was done just before, a little later.
  func publishUpdate(_ update: MessageUpdate) {
    reach(update.seq, at: update.timestamp)
    queueWebhook(update)
    let now = node.loop.now
    let id = update.messageID
    if let update = updates.offer(update, of: id, timestamp: update.timestamp, at: now) {
      publish(update)
    }
    scheduleUpdates()
  }

  /// Publishes a change that the server itself made, to the author's connections too.
  func publishUpdate(of changed: SequencedMessage, at timestamp: Int64) {
    publishUpdate(
      MessageUpdate(
        messageID: changed.message.id, seq: changed.seq, timestamp: timestamp,
        encoded: changed.message.encoded(), author: nil))
  }

  /// Publishes the updates whose pause is over.
  func publishHeldUpdates() {
    updateTimer = nil
    for update in updates.take(at: node.loop.now) { publish(update) }
    scheduleUpdates()
  }

  private func scheduleUpdates() {
    guard updateTimer == nil, let due = updates.due else { return }
    updateTimer = node.loop.schedule(after: max(due - node.loop.now, 0), self)
  }

  /// Publishes an update to all except those from whom the message was withheld.
  private func publish(_ update: MessageUpdate) {
    publish(
      QueuedEvent(
        payload: notification(of: update), audience: .recipients(ofMessage: update.messageID),
        author: update.author))
  }

  private func queueWebhook(_ update: MessageUpdate) {
    guard record.isEphemeral, services.webhooks != nil else { return }
    queueWebhook(
      .messageUpdated, seq: update.seq, at: update.timestamp, notification(of: update))
  }

  private func notification(of update: MessageUpdate) -> [UInt8] {
    EventEncoder.messageUpdated(
      origin(at: update.timestamp), seq: update.seq, message: update.encoded)
  }
}
