internal import ParleyProtocol

/// Messages around a place, and where to go on.
///
/// A page may hold fewer messages than asked for although there are more: an answer of the server is
/// bounded in bytes, and so is the time that it looks for messages that fit.
public struct MessagePage: Sendable {
  /// In the order that was asked for.
  public let messages: [any BaseMessage]
  /// The place to list further messages before these; `nil` when there are none.
  ///
  /// List with ``MessageListParams/isInclusive`` false.
  public let previous: MessageAnchor?
  /// The place to list further messages after these; `nil` when there are none.
  ///
  /// List with ``MessageListParams/isInclusive`` false.
  public let next: MessageAnchor?

  init(json: JSONNode) throws(ParleyError) {
    messages = try AnswerReader.list("messages", of: json, AnswerReader.message(_:))
    previous = Self.place("has_previous", "previous_from", of: json)
    next = Self.place("has_next", "next_from", of: json)
  }

  private static func place(_ claim: String, _ name: String, of node: JSONNode) -> MessageAnchor? {
    guard node[claim]?.bool == true, let id = node[name]?.integer, id > 0 else { return nil }
    return .messageID(id)
  }
}
