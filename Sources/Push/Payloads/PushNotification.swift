package import ParleyProtocol

/// A message as a device shows it.
package struct PushNotification: Sendable, Hashable {
  package var channelURL: String
  package var channelName: String
  package var messageID: Int64
  package var title: String
  package var body: String
  package var customType: String
  package var data: String
  /// The number on the app's symbol: the user's unread messages.
  package var badge: Int64
  /// The time of the message in Unix milliseconds.
  package var createdAt: Int64
  package var sound: String

  /// Describes a message for a user.
  ///
  /// - Parameters:
  ///   - channelName: Empty for a channel without a name.
  ///   - template: Replaces the title and the body.
  package init(
    of message: Message, channelName: String, badge: Int64, preferences: PushPreferences,
    texts: PushTexts, template: PushMessageTemplate? = nil
  ) {
    channelURL = message.channelURL
    self.channelName = channelName
    messageID = message.id
    title = template?.title ?? texts.title(of: message, channelName: channelName)
    body = template?.body ?? texts.body(of: message, template: preferences.template)
    // The application's own data may repeat the text.
    let isHidden = !texts.showsText || preferences.template == .alternative
    customType = message.customType
    data = isHidden ? "" : message.data
    self.badge = badge
    createdAt = message.createdAt
    sound = preferences.sound
  }
}

extension PushNotification {
  /// Describes a test by the operator, which belongs to no message.
  ///
  /// - Parameters:
  ///   - id: The number by which devices recognize a repetition.
  ///   - now: Unix milliseconds.
  package init(testWithID id: Int64, badge: Int64, texts: PushTexts, at now: Int64) {
    channelURL = ""
    channelName = ""
    messageID = id
    title = texts.title
    body = "Test"
    customType = ""
    data = ""
    self.badge = badge
    createdAt = now
    sound = "default"
  }
}

/// A push without an alert.
package enum SilentPush: Sendable, Hashable {
  /// Only the number of unread messages, after many pushes.
  case badge(Int64)
  /// The user has read a channel on another device.
  case read(channelURL: String, badge: Int64)

  package var badge: Int64 {
    switch self {
    case .badge(let badge), .read(_, let badge): badge
    }
  }
}

extension PushNotification {
  /// Writes the members that every way has, for the app to find the message.
  func encodeReference(into writer: inout JSONWriter) {
    writer.member("type", "message")
    writer.member("channel_url", channelURL)
    writer.member("channel_name", channelName)
    writer.member("message_id", messageID)
    writer.member("custom_type", customType)
    writer.member("data", data)
    writer.member("unread_message_count", badge)
    writer.member("ts", createdAt)
  }

  /// Writes the members that a device shows.
  func encodeTexts(into writer: inout JSONWriter) {
    writer.member("title", title)
    writer.member("body", body)
  }
}

extension SilentPush {
  /// Writes the members by which the app learns of the push.
  func encodeReference(into writer: inout JSONWriter) {
    switch self {
    case .badge: writer.member("type", "badge")
    case .read(let channelURL, _):
      writer.member("type", "read")
      writer.member("channel_url", channelURL)
    }
    writer.member("unread_message_count", badge)
  }
}
