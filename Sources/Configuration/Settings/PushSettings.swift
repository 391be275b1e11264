package import Basics
package import ParleyProtocol
package import Push

/// The settings of pushes to devices of users without a session.
package struct PushSettings: Sendable, Equatable {
  /// Whether browsers can register, to which messages are pushed by Web Push.
  package var isWebOn = false
  /// How a push service reaches the operator, `mailto:` or `https:`; present when ``isWebOn``.
  package var subject: String?
  package var apns = APNsSettings()
  package var fcm = FCMSettings()
  /// The path of a PEM file with certificates that are trusted beside the system's.
  package var certificatesFile: String?
  /// The URL of the operator's own service, to which the pushes of ``urlTypes`` are posted.
  package var url: String?
  /// The types of tokens whose pushes go to ``url``; some when there is a URL, and none without.
  package var urlTypes: [PushTokenType] = []
  /// The secret that signs the bodies for ``url``; present when there is a URL.
  package var secret: Secret?
  /// The largest number of simultaneous requests.
  package var concurrency = 64
  /// The time between a message and its pushes, in which users may read it.
  package var delayMilliseconds: Int64 = 0
  /// The age of a message from which it is not pushed.
  package var maximumAgeSeconds: Int64 = 3_600
  /// The time for which services try to reach a device.
  package var lifetimeSeconds: Int64 = 86_400
  /// `push.title`, `push.text_file`, `push.text_hidden` and `push.show_text`.
  package var texts = PushTexts()
  /// Whether devices get the new number of unread messages when their user reads elsewhere.
  package var clearsOnRead = true
  /// Whether users without a session get pushes of messages that mention them in open channels.
  package var pushesOpenChannelMentions = false
  /// The number of pushes with an alert to a user per minute; 0 means no limit.
  package var perUserMinute = 30
  /// The number of pushes that the messages of a user cause per minute; 0 means no limit.
  package var perSenderMinute = 1_000
  /// Networks outside the public internet in which push services of browsers may be.
  package var allowedNetworks: [Network] = []
  /// The ports of push services of browsers.
  package var allowedPorts: [ClosedRange<UInt16>] = [443...443]

  /// The types of tokens that users can register, in the order of their declaration.
  package var types: [PushTokenType] {
    PushTokenType.allCases.filter { type in
      if url != nil, urlTypes.contains(type) { return true }
      return switch type {
      case .web: isWebOn
      case .apns: apns.isSet
      case .gcm: fcm.serviceAccount != nil
      case .huawei: false
      }
    }
  }

  /// Whether pushes of any type are sent.
  package var isOn: Bool { !types.isEmpty }
}

/// The settings of Apple's push service.
package struct APNsSettings: Sendable, Equatable {
  /// The path of the signing key, a `.p8` file.
  package var keyFile: String?
  package var keyID: String?
  package var teamID: String?
  /// The identifier of the app.
  package var topic: String?
  /// Without a slash at its end.
  package var url = "https://api.push.apple.com"

  /// Whether any of the settings without a default is set; all are, then, after loading.
  package var isSet: Bool { keyFile != nil || keyID != nil || teamID != nil || topic != nil }
}

/// The settings of Firebase Cloud Messaging.
package struct FCMSettings: Sendable, Equatable {
  /// The path of the JSON file of a service account.
  package var serviceAccount: String?
  /// Without a slash at its end.
  package var url = "https://fcm.googleapis.com"
  package var style = FCMPayload.Style.notification
}
