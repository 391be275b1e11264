internal import ParleyProtocol

/// A notification of the server, read.
enum Incoming: Sendable {
  /// An event in a channel, with the change of the channel's state.
  case channel(url: String, OpenChannelEvent, ChannelChange?)
  case connection(ConnectionEvent)
  case mentioned(any BaseMessage)

  /// Reads a notification; `nil` for a method that this client does not know.
  ///
  /// - Throws: ``ParleyError/malformedAnswer(_:)`` when a member is missing.
  init?(method: String, params: [UInt8]) throws(ParleyError) {
    guard let name = EventName(rawValue: method) else { return nil }
    let node = try AnswerReader.document(params)
    switch name {
    case .sessionExpiring:
      self = .connection(.sessionExpiring(at: try AnswerReader.integer("expires_at", of: node)))
    case .serverDraining:
      let pause = try AnswerReader.integer("reconnect_after_ms", of: node)
      self = .connection(.serverDraining(reconnectAfter: .milliseconds(max(0, pause))))
    case .mentionReceived:
      self = .mentioned(try AnswerReader.message(of: node))
    default:
      let (event, change) = try Self.channelEvent(name, node)
      self = .channel(url: try AnswerReader.text("channel_url", of: node), event, change)
    }
  }

  private typealias Reading = (OpenChannelEvent, ChannelChange?)

  private static func channelEvent(
    _ name: EventName, _ node: JSONNode
  ) throws(ParleyError) -> Reading {
    switch name {
    case .messageReceived: (.messageReceived(try AnswerReader.message(of: node)), nil)
    case .messageUpdated: (.messageUpdated(try AnswerReader.message(of: node)), nil)
    case .messageDeleted:
      (.messageDeleted(messageID: try AnswerReader.integer("message_id", of: node)), nil)
    case .throttled: (.messagesThrottled(try throttled(node)), nil)
    case .channelChanged: (.changed, try replacement(node))
    case .channelDeleted: (.deleted, try replacement(node))
    case .channelFrozen: (.frozen, try replacement(node))
    case .channelUnfrozen: (.unfrozen, try replacement(node))
    case .participantCount:
      try participantCount(node)
    case .operatorsChanged:
      try operatorsChanged(node)
    default: try userEvent(name, node)
    }
  }

  private static func userEvent(
    _ name: EventName, _ node: JSONNode
  ) throws(ParleyError) -> Reading {
    let user = try AnswerReader.user(of: node)
    switch name {
    case .userEntered:
      return (.userEntered(user), .participantCount(try count(node)))
    case .userExited:
      return (.userExited(user), .participantCount(try count(node)))
    case .userMuted: return (.userMuted(user, restriction(node)), nil)
    case .userUnmuted: return (.userUnmuted(user), nil)
    case .userBanned: return (.userBanned(user, restriction(node)), nil)
    default: return (.userUnbanned(user), nil)
    }
  }

  private static func participantCount(_ node: JSONNode) throws(ParleyError) -> Reading {
    let count = try count(node)
    return (.participantCountChanged(count), .participantCount(count))
  }

  private static func operatorsChanged(_ node: JSONNode) throws(ParleyError) -> Reading {
    let operators = try AnswerReader.users("operators", of: node)
    return (.operatorsChanged(operators), .operators(operators))
  }

  private static func replacement(_ node: JSONNode) throws(ParleyError) -> ChannelChange {
    .replaced(try AnswerReader.channel(of: node))
  }

  private static func count(_ node: JSONNode) throws(ParleyError) -> Int {
    try AnswerReader.count("participant_count", of: node)
  }

  private static func throttled(_ node: JSONNode) throws(ParleyError) -> ThrottledMessages {
    ThrottledMessages(
      count: try AnswerReader.count("withheld", of: node),
      firstMessageID: try AnswerReader.integer("first_message_id", of: node),
      lastMessageID: try AnswerReader.integer("last_message_id", of: node))
  }

  private static func restriction(_ node: JSONNode) -> RestrictionDetails {
    RestrictionDetails(
      seconds: node["seconds"]?.integer ?? -1, description: node["description"]?.string ?? "")
  }
}
