internal import ParleyProtocol

/// Names a message in requests.
struct MessageReference: Sendable, Hashable {
  let channelURL: String
  let messageID: Int64

  func write(into writer: inout JSONWriter) {
    writer.member("channel_url", channelURL)
    writer.member("message_id", messageID)
  }
}
