/// The payload of an event, by its shape; several events share one.
enum EventPayload {
  case message(EventResource<Message>)
  case channel(EventResource<ChannelInfo>)
  case deletion(Event.Deletion)
  case restriction(Event.Restriction)
  case release(Event.Release)
  case operators(Event.Operators)
  case presence(Event.Presence)
  case participantCount(Event.ParticipantCount)
  case throttling(Event.Throttling)
  case expiry(Event.Expiry)
  case draining(Event.Draining)

  /// Writes the members of the event.
  func encode(into writer: inout JSONWriter) {
    switch self {
    case .message(let message):
      writer.name("message")
      message.encode(into: &writer)
    case .channel(let channel):
      writer.name("channel")
      channel.encode(into: &writer)
    case .deletion(let deletion): deletion.encode(into: &writer)
    case .restriction(let restriction): restriction.encode(into: &writer)
    case .release(let release): release.encode(into: &writer)
    case .operators(let operators): operators.encode(into: &writer)
    case .presence(let presence): presence.encode(into: &writer)
    case .participantCount(let count): count.encode(into: &writer)
    case .throttling(let throttling): throttling.encode(into: &writer)
    case .expiry(let expiry): expiry.encode(into: &writer)
    case .draining(let draining): draining.encode(into: &writer)
    }
  }

  /// Bytes to reserve for the members.
  var capacity: Int {
    switch self {
    case .message(let message): message.capacity
    case .channel(let channel): channel.capacity
    case .deletion, .restriction, .release, .operators, .presence, .participantCount, .throttling,
      .expiry, .draining:
      0
    }
  }
}

/// The members of an event that is read.
///
/// Those that the log keeps in another place are supplied as values; the others are JSON.
struct EventMembers {
  let reader: ResourceReader
  private let storedMessage: EventResource<Message>?
  private let storedChannel: EventResource<ChannelInfo>?
  private let storedMessageID: Int64?

  /// The members of a notification or webhook.
  init(_ name: EventName, _ params: JSONNode) throws(ResourceError) {
    reader = try ResourceReader(name.rawValue, params)
    storedMessage = nil
    storedChannel = nil
    storedMessageID = nil
  }

  /// The members of an event of the log, with those that are not in its payload.
  init(
    _ name: EventName, _ payload: JSONNode, messageID: Int64?, message: Message?,
    channel: ChannelInfo
  ) throws(ResourceError) {
    reader = try ResourceReader(name.rawValue, payload)
    storedMessage = message.map(EventResource.value)
    storedChannel = .value(channel)
    storedMessageID = messageID
  }

  func message() throws(ResourceError) -> EventResource<Message> {
    if let storedMessage { return storedMessage }
    return .value(try Message(json: reader.member("message")))
  }

  func channel() throws(ResourceError) -> EventResource<ChannelInfo> {
    if let storedChannel { return storedChannel }
    return .value(try ChannelInfo(json: reader.member("channel")))
  }

  func messageID() throws(ResourceError) -> Int64 {
    if let storedMessageID { return storedMessageID }
    return try reader.integer("message_id")
  }
}
