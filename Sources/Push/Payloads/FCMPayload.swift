internal import ParleyProtocol

/// The body of a request to FCM's HTTP v1 API.
package enum FCMPayload {
  /// The limit without the token, which FCM does not count.
  package static let byteLimit = 4_096

  /// `push.fcm_style`: which part of a device shows a message.
  package enum Style: String, Sendable, CaseIterable {
    /// The system.
    case notification
    /// The app, which gets the title and body as data.
    case data
  }

  /// - Parameter lifetime: The seconds for which FCM tries to deliver.
  package static func message(
    _ notification: PushNotification, to token: String, style: Style, lifetime: Int64
  ) -> [UInt8] {
    let limit = byteLimit + JSONWriter.bytes { $0.value(token) }.count
    return notification.payload(within: limit) { notification in
      let reference = JSONWriter.bytes(reserving: byteLimit) {
        $0.object {
          notification.encodeReference(into: &$0)
          if style == .data { notification.encodeTexts(into: &$0) }
        }
      }
      return body(token, reference, style == .data ? nil : notification, "HIGH", lifetime)
    }
  }

  /// - Parameter lifetime: The seconds for which FCM tries to deliver.
  package static func silent(_ push: SilentPush, to token: String, lifetime: Int64) -> [UInt8] {
    let reference = JSONWriter.bytes { $0.object { push.encodeReference(into: &$0) } }
    return body(token, reference, nil, "NORMAL", lifetime)
  }

  /// - Parameters:
  ///   - reference: JSON for the app, which is sent as a text: FCM's data has texts only.
  ///   - notification: Shown by the system; `nil` if nothing is.
  private static func body(
    _ token: String, _ reference: [UInt8], _ notification: PushNotification?, _ priority: String,
    _ lifetime: Int64
  ) -> [UInt8] {
    JSONWriter.bytes(reserving: byteLimit) { writer in
      writer.object {
        $0.member(
          "message",
          object: {
            $0.member("token", token)
            if let notification {
              $0.member("notification", object: { notification.encodeTexts(into: &$0) })
            }
            let text = String(decoding: reference, as: UTF8.self)
            $0.member("data", object: { $0.member("parley", text) })
            $0.member(
              "android",
              object: {
                $0.member("priority", priority)
                $0.member("ttl", "\(lifetime)s")
                if let notification { encodeAndroid(notification, into: &$0) }
              })
          })
      }
    }
  }

  private static func encodeAndroid(
    _ notification: PushNotification, into writer: inout JSONWriter
  ) {
    writer.member(
      "notification",
      object: {
        $0.member("tag", PushIdentifiers.tag(messageID: notification.messageID))
        $0.member("sound", notification.sound)
      })
  }
}
