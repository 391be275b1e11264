internal import Basics
package import ParleyProtocol

/// A message and some of its recipients, for the operator's own service (`push.url`).
package struct PushNotice: Sendable, Hashable {
  package static let recipientLimit = 500

  /// A user with the devices that the service pushes to.
  package struct Recipient: Sendable, Hashable {
    /// A device of the user.
    package struct Device: Sendable, Hashable {
      package var type: PushTokenType
      package var name: String

      package init(type: PushTokenType, name: String) {
        self.type = type
        self.name = name
      }
    }

    package var userID: String
    package var badge: Int64
    /// Whether only the badge is to change, without an alert.
    package var isSilent: Bool
    package var template: PushTemplate
    package var sound: String
    package var devices: [Device]

    package init(
      userID: String, badge: Int64, isSilent: Bool, preferences: PushPreferences, devices: [Device]
    ) {
      self.userID = userID
      self.badge = badge
      self.isSilent = isSilent
      template = preferences.template
      sound = preferences.sound
      self.devices = devices
    }
  }

  package var message: Message
  package var channelName: String
  package var texts: PushTexts
  package var pushTemplate: PushMessageTemplate?
  /// At most ``recipientLimit``.
  package var recipients: [Recipient]

  package init(
    of message: Message, channelName: String, texts: PushTexts, template: PushMessageTemplate?,
    to recipients: [Recipient]
  ) {
    self.message = message
    self.channelName = channelName
    self.texts = texts
    pushTemplate = template
    self.recipients = recipients
  }

  /// The UUID of the notice, the same when it is repeated.
  package var id: String {
    let names = recipients.flatMap(\.devices).map { "\($0.type.rawValue)\n\($0.name)" }
    return PushIdentifiers.uuid(messageID: message.id, token: names.joined(separator: "\n"))
  }

  /// The body of the request, as JSON.
  package var body: [UInt8] {
    JSONWriter.bytes(reserving: 1_024 + 256 * recipients.count) {
      $0.object {
        $0.member("id", id)
        $0.member("event", "push.notify")
        $0.member(
          "channel",
          object: {
            $0.member("channel_url", message.channelURL)
            $0.member("channel_type", message.channelKind.rawValue)
            $0.member("name", channelName)
          })
        encodeMessage(into: &$0)
        $0.member(
          "title", pushTemplate?.title ?? texts.title(of: message, channelName: channelName))
        $0.member("body", pushTemplate?.body ?? texts.body(of: message, template: .default))
        $0.member(
          "recipients",
          array: { writer in
            for recipient in recipients { writer.object { recipient.encodeMembers(into: &$0) } }
          })
      }
    }
  }

  /// Without its contents when texts are not shown.
  private func encodeMessage(into writer: inout JSONWriter) {
    guard texts.showsText else {
      return writer.member(
        "message",
        object: {
          $0.member("type", message.type.rawValue)
          $0.member("message_id", message.id)
          $0.member("channel_url", message.channelURL)
          $0.member("created_at", message.createdAt)
        })
    }
    writer.name("message")
    message.encode(into: &writer)
  }
}

extension PushNotice.Recipient {
  fileprivate func encodeMembers(into writer: inout JSONWriter) {
    writer.member("user_id", userID)
    writer.member("unread_message_count", badge)
    writer.member("silent", isSilent)
    writer.member("template", template.rawValue)
    writer.member("sound", sound)
    writer.member(
      "tokens",
      array: { writer in
        for device in devices {
          writer.object {
            $0.member("type", device.type.rawValue)
            $0.member("token", device.name)
          }
        }
      })
  }
}
