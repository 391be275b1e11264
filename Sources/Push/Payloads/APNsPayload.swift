internal import ParleyProtocol

/// The body of a request to APNs.
package enum APNsPayload {
  package static let byteLimit = 4_096

  package static func message(_ notification: PushNotification) -> [UInt8] {
    notification.payload(within: byteLimit) { notification in
      JSONWriter.bytes(reserving: byteLimit) {
        $0.object {
          $0.member("aps", object: { encodeAlert(notification, into: &$0) })
          $0.member("parley", object: { notification.encodeReference(into: &$0) })
        }
      }
    }
  }

  package static func silent(_ push: SilentPush) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member(
          "aps",
          object: {
            $0.member("badge", push.badge)
            if case .read = push { $0.member("content-available", 1) }
          })
        $0.member("parley", object: { push.encodeReference(into: &$0) })
      }
    }
  }

  private static func encodeAlert(
    _ notification: PushNotification, into writer: inout JSONWriter
  ) {
    writer.member("alert", object: { notification.encodeTexts(into: &$0) })
    writer.member("badge", notification.badge)
    writer.member("sound", notification.sound)
    writer.member("thread-id", notification.channelURL)
    writer.member("mutable-content", 1)
  }
}
