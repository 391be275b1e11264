/// The payload of an event by its type; several events share one type.
enum EventPayload {
  case message(EventMessage)
  case channel(ChannelInfo)
  case deletion(Event.Deletion)
  case restriction(Event.Restriction)
  case release(Event.Release)
  case operators(Event.Operators)
  case invitation(Event.Invitation)
  case membership(Event.Membership)
  case departure(Event.Departure)
  case memberCount(Event.MemberCount)
  case groupLoss(Event.GroupLoss)
  case ownMembership(OwnMembership)
  case reads(Event.Reads)
  case typing(Event.Typing)
  case presence(Event.Presence)
  case participantCount(Event.ParticipantCount)
  case throttling(Event.Throttling)
  case withholding(Event.Withholding)
  case expiry(Event.Expiry)
  case fileKey(Event.FileKey)
  case draining(Event.Draining)
  case readiness(Event.Readiness)
  case totals(Event.Totals)
  case report(AbuseReport)

  /// Writes the members of the event.
  func encode(into writer: inout JSONWriter) {
    switch self {
    case .message(let message): message.encodeMembers(into: &writer)
    case .channel(let channel):
      writer.name("channel")
      channel.encode(into: &writer)
    case .deletion(let deletion): deletion.encode(into: &writer)
    case .restriction(let restriction): restriction.encode(into: &writer)
    case .release(let release): release.encode(into: &writer)
    case .operators(let operators): operators.encode(into: &writer)
    case .invitation(let invitation): invitation.encode(into: &writer)
    case .membership(let membership): membership.encode(into: &writer)
    case .departure(let departure): departure.encode(into: &writer)
    case .memberCount(let count): count.encode(into: &writer)
    case .groupLoss(let loss): loss.encode(into: &writer)
    case .ownMembership(let own):
      writer.name("my")
      own.encode(into: &writer)
    case .reads(let reads): reads.encode(into: &writer)
    case .typing(let typing): typing.encode(into: &writer)
    case .presence(let presence): presence.encode(into: &writer)
    case .participantCount(let count): count.encode(into: &writer)
    case .throttling(let throttling): throttling.encode(into: &writer)
    case .withholding(let withholding): withholding.encode(into: &writer)
    case .expiry(let expiry): expiry.encode(into: &writer)
    case .fileKey(let key): key.encode(into: &writer)
    case .draining(let draining): draining.encode(into: &writer)
    case .readiness(let readiness): readiness.encode(into: &writer)
    case .totals(let totals): totals.encode(into: &writer)
    case .report(let report):
      report.encodeMembers(into: &writer) { message, writer in message.encode(into: &writer) }
    }
  }

  /// The number of bytes to reserve for the members.
  var capacity: Int {
    switch self {
    case .message(let message): message.capacity
    case .channel, .invitation, .report: 1_024
    case .deletion, .restriction, .release, .operators, .membership, .departure, .memberCount,
      .groupLoss, .ownMembership, .reads, .typing, .presence, .participantCount, .throttling,
      .withholding, .expiry, .fileKey, .draining, .readiness, .totals:
      0
    }
  }
}

/// The members of an event that is being parsed.
struct EventMembers {
  let reader: ResourceReader
  private let known: ChannelInfo?

  /// - Parameter channel: The channel of an event that is stored without it; `nil` if it is a member.
  init(
    _ name: EventName, _ members: JSONNode, channel: ChannelInfo? = nil
  ) throws(ResourceError) {
    reader = try ResourceReader(name.rawValue, members)
    known = channel
  }

  func message() throws(ResourceError) -> EventMessage {
    let former = try reader.node.present("former_mentions").map { node throws(ResourceError) in
      FormerMentions(try MessageMentions(try ResourceReader("former_mentions", node)))
    }
    return EventMessage(encoding: try Message(json: reader.member("message")), former: former)
  }

  func own() throws(ResourceError) -> OwnMembership {
    try OwnMembership(json: reader.member("my"))
  }

  func channel() throws(ResourceError) -> ChannelInfo {
    if let known { return known }
    return try ChannelInfo(json: reader.member("channel"))
  }
}
