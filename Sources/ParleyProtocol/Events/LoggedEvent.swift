/// An event in the form stored in the log, without data that is stored elsewhere.
///
/// Messages and channels are read in their current state. So an event about a message is stored as the
/// message's id, and one about a channel as its name only.
package struct LoggedEvent: Sendable, Hashable {
  package var name: EventName
  /// The message that the event is about; `nil` for other events.
  package var messageID: Int64?
  /// The deletion that the event is about, if all of it is known; `nil` for other events.
  package var deletion: Event.Deletion?
  /// A JSON object with the members of the event; `nil` for events about a message.
  package var payload: String?
  /// The event's number in its channel.
  package var seq: Int64
  /// Unix milliseconds.
  package var timestamp: Int64

  package init(
    name: EventName, messageID: Int64? = nil, payload: String? = nil, seq: Int64, timestamp: Int64
  ) {
    self.name = name
    self.messageID = messageID
    self.payload = payload
    self.seq = seq
    self.timestamp = timestamp
  }

  /// The form of an event for the log; `nil` for events that are not durable.
  package init?(_ event: Event, seq: Int64, timestamp: Int64) {
    guard event.isDurable else { return nil }
    let payload = event.payload
    self.init(name: event.name, seq: seq, timestamp: timestamp)
    switch payload {
    case .message(let message): messageID = message.message.id
    case .deletion(let deletion):
      messageID = deletion.messageID
      self.deletion = deletion
    case .channel: self.payload = "{}"
    case .restriction, .release, .operators, .invitation, .membership, .departure, .memberCount,
      .groupLoss, .ownMembership, .reads, .typing, .presence, .participantCount, .throttling,
      .withholding, .expiry, .fileKey, .draining, .readiness, .totals, .report:
      let json = JSONWriter.bytes(reserving: 256) { $0.object { payload.encode(into: &$0) } }
      self.payload = String(decoding: json, as: UTF8.self)
    }
  }

  /// Reconstructs an event about a channel or its users.
  ///
  /// - Parameter channel: The event's channel in its current state.
  /// - Throws: When the payload does not match the event's name, and for events about a message, which
  ///   have no payload.
  package func event(in channel: ChannelInfo) throws(ResourceError) -> Event {
    // A deep or long payload is refused, because the log never contains one.
    guard let document = try? JSONDocument(Array((payload ?? "{}").utf8)) else {
      throw ResourceError(name.rawValue)
    }
    return try Event(name, EventMembers(name, document.root, channel: channel))
  }
}
