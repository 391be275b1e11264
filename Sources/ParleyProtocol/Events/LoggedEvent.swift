/// An event as the log keeps it, without what the log keeps in another place.
///
/// Messages and channels are read as they are at the time of reading. So an event about a message is
/// kept as the message's id, and one about a channel as nothing but its name.
package struct LoggedEvent: Sendable, Hashable {
  package var name: EventName
  /// The message that the event is about; `nil` for other events.
  package var messageID: Int64?
  /// A JSON object with the members of the event; `nil` for events about a message.
  package var payload: String?

  package init(name: EventName, messageID: Int64? = nil, payload: String? = nil) {
    self.name = name
    self.messageID = messageID
    self.payload = payload
  }

  /// The form of an event for the log; `nil` for events that are not durable.
  ///
  /// - Throws: When the event holds bytes that are not those of a message.
  package init?(_ event: Event) throws(ResourceError) {
    guard event.isDurable else { return nil }
    let payload = event.payload
    switch payload {
    case .message(let message): self.init(name: event.name, messageID: try message.value().id)
    case .deletion(let deletion): self.init(name: event.name, messageID: deletion.messageID)
    case .channel: self.init(name: event.name, payload: "{}")
    case .restriction, .release, .operators, .presence, .participantCount, .throttling, .expiry,
      .draining:
      let json = JSONWriter.bytes(reserving: 256) { $0.object { payload.encode(into: &$0) } }
      self.init(name: event.name, payload: String(decoding: json, as: UTF8.self))
    }
  }

  /// The whole event.
  ///
  /// - Parameters:
  ///   - message: The message of ``messageID`` as it is now.
  ///   - channel: The event's channel as it is now.
  /// - Throws: When the message is missing, or the payload is not the one of such an event.
  package func event(message: Message?, channel: ChannelInfo) throws(ResourceError) -> Event {
    // A deep or long payload is refused, as the log never wrote it.
    guard let document = try? JSONDocument(payload ?? "{}") else {
      throw ResourceError(name.rawValue)
    }
    return try Event(
      name,
      EventMembers(
        name, document.root, messageID: messageID, message: message, channel: channel))
  }
}
