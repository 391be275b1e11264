package import ParleyProtocol

/// A message as clients see it.
package struct ChannelMessage: Hashable, Sendable {
  package let id: Int64
  package let createdAt: Int64
  package let text: String
  package let authorID: String?
  package let requestID: String

  /// Reads a message object.
  package init(_ node: JSONNode) throws {
    guard let id = node["message_id"]?.integer, let createdAt = node["created_at"]?.integer,
      let text = node["message"]?.string, let requestID = node["req_id"]?.string
    else { throw TestFailure("no message: \(String(decoding: node.raw, as: UTF8.self))") }
    self.id = id
    self.createdAt = createdAt
    self.text = text
    self.requestID = requestID
    authorID = node["user"]?["user_id"]?.string
  }
}

/// A message with its place among the channel's events, as `message.send` answers.
package struct SentMessage: Hashable, Sendable {
  package let message: ChannelMessage
  package let seq: Int64

  /// The message's id.
  package var id: Int64 { message.id }

  /// Reads the result of `message.send`.
  package init(_ result: JSONNode) throws {
    guard let message = result["message"], let seq = result["seq"]?.integer else {
      throw TestFailure("no sent message: \(String(decoding: result.raw, as: UTF8.self))")
    }
    self.message = try ChannelMessage(message)
    self.seq = seq
  }
}
