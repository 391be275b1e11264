import SQLite
import ParleyProtocol

/// Events that are put into the outbox, each in the transaction of its change.
extension WriteTransaction {
  /// Puts an event there that the store has no record of: one of an ephemeral channel.
  ///
  /// - Parameter event: What `WebhookEncoder` wrote.
  package func queueWebhookEvent(
    _ kind: WebhookEvent, channelURL: String, seq: Int64, at timestamp: Int64, event: [UInt8]
  ) throws {
    guard let outbox = connection.outbox, outbox.wants(kind) else { return }
    let id = try connection.insert(
      """
      INSERT INTO webhook_events (channel_url, kind, seq, ts, body) VALUES (?, ?, ?, ?, ?)
      """, [channelURL, kind.rawValue, seq, timestamp, String(decoding: event, as: UTF8.self)])
    outbox.add(OutboxArrival(channelURL: channelURL, eventID: id, timestamp: timestamp))
  }

  func queueCreation(of channel: Channel) throws {
    try queue(.channelCreated, EventOrigin(channel, channel.createdAt), seq: 0) {
      WebhookEncoder.channelCreated(channel)
    }
  }

  func queueArrival(of message: Message, seq: Int64) throws {
    let origin = EventOrigin(channelURL: message.channelURL, timestamp: message.createdAt)
    try queue(.messageReceived, origin, seq: seq) {
      .init(.messageReceived, EventEncoder.messageReceived(origin, seq: seq, message: message.json))
    }
  }

  func queueUpdate(of message: Message, seq: Int64, at timestamp: Int64) throws {
    let origin = EventOrigin(channelURL: message.channelURL, timestamp: timestamp)
    try queue(.messageUpdated, origin, seq: seq) {
      .init(.messageUpdated, EventEncoder.messageUpdated(origin, seq: seq, message: message.json))
    }
  }

  func queueDeletion(
    ofMessage id: Int64, channelID: Int64, seq: Int64, at timestamp: Int64
  ) throws {
    guard wants(.messageDeleted), let url = try channelURL(channelID) else { return }
    let origin = EventOrigin(channelURL: url, timestamp: timestamp)
    try queue(.messageDeleted, origin, seq: seq) {
      .init(.messageDeleted, EventEncoder.messageDeleted(origin, seq: seq, messageID: id))
    }
  }

  func wants(_ kind: WebhookEvent) -> Bool { connection.outbox?.wants(kind) ?? false }

  /// Encodes only what is wanted.
  func queue(
    _ kind: WebhookEvent, _ origin: EventOrigin, seq: Int64, _ encode: () -> [UInt8]
  ) throws {
    guard wants(kind) else { return }
    try queueWebhookEvent(
      kind, channelURL: origin.channelURL, seq: seq, at: origin.timestamp, event: encode())
  }
}

extension Message {
  fileprivate var json: [UInt8] {
    JSONWriter.bytes(reserving: 384 + text.utf8.count + data.utf8.count) { encode(into: &$0) }
  }
}

extension EventOrigin {
  init(_ channel: Channel, _ timestamp: Int64) {
    self.init(channelURL: channel.url, timestamp: timestamp)
  }
}

extension [UInt8] {
  init(_ kind: WebhookEvent, _ notification: [UInt8]) {
    self = WebhookEncoder.event(kind, from: notification)
  }
}
