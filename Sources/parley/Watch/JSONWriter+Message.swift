internal import ParleyClient
internal import ParleyProtocol

extension JSONWriter {
  /// Writes the member `message`, its members named as in the protocol.
  mutating func message(_ message: any BaseMessage) {
    member(
      "message",
      object: { writer in
        writer.member("message_id", message.messageID)
        writer.member("channel_url", message.channelURL)
        writer.sender(of: message)
        writer.member("message", message.message)
        writer.member("data", message.data)
        writer.member("custom_type", message.customType)
        writer.member("mentioned_user_ids", message.mentionedUsers.map(\.userID))
        if let preview = message.ogMetaData { writer.preview(preview) }
        writer.member("created_at", message.createdAt)
        writer.member("updated_at", message.updatedAt)
      })
  }

  private mutating func sender(of message: any BaseMessage) {
    guard let sender = message.sender else { return }
    member(
      "user",
      object: {
        $0.member("user_id", sender.userID)
        $0.member("nickname", sender.nickname)
        $0.member("profile_url", sender.profileURL)
      })
  }

  private mutating func preview(_ preview: OGMetaData) {
    member(
      "og_tag",
      object: {
        $0.member("og:title", orNull: preview.title)
        $0.member("og:url", orNull: preview.url)
        $0.member("og:description", orNull: preview.desc)
        if let image = preview.defaultImage { $0.image(image) }
      })
  }

  private mutating func image(_ image: OGImage) {
    member(
      "og:image",
      object: {
        $0.member("url", orNull: image.url)
        $0.member("secure_url", orNull: image.secureURL)
        $0.member("type", orNull: image.type)
        $0.member("width", image.width)
        $0.member("height", image.height)
        $0.member("alt", orNull: image.alt)
      })
  }
}
