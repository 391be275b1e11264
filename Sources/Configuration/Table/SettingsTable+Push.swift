internal import Basics
internal import LinkPreview
internal import ParleyProtocol
internal import Push

extension SettingsTable {
  private static let serviceURL = "an https URL without a query, or http on loopback"
  private static let identifier = "a text of at most 255 visible ASCII characters"
  private static let shortText = "a text of at most 500 characters"
  private static let minute = "a number of pushes"

  @Sendable
  private static func readIdentifier(_ text: String) -> String? {
    (1...255).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7e).contains($0) }
      ? text : nil
  }

  @Sendable
  private static func readText(_ text: String) -> String? {
    (1...500).contains(text.unicodeScalars.count) ? text : nil
  }

  /// Settings for pushes.
  static let push = pushServices + ownPushService + pushing

  private static let pushServices: [SettingDefinition] = [
    .toggle(
      "push.web", .restart, \.push.isWebOn,
      help: "Push messages to browsers by Web Push, signed with a key that is made at first use."),
    .optional(
      "push.subject", .restart, \.push.subject,
      expected: "an address of the operator that begins with mailto: or https://",
      help: "Contact address for push services of browsers. It is required if push.web is set.",
      read: PushSubjectText.read),
    .optional(
      "push.apns.key_file", .restart, \.push.apns.keyFile, expected: "the path of a .p8 file",
      help: "Key for pushes to Apple devices. SIGHUP reads the file again.",
      read: { $0 }),
    .optional(
      "push.apns.key_id", .restart, \.push.apns.keyID, expected: identifier,
      help: "Id of the key in push.apns.key_file.", read: readIdentifier),
    .optional(
      "push.apns.team_id", .restart, \.push.apns.teamID, expected: identifier,
      help: "Id of the team that the key belongs to.", read: readIdentifier),
    .optional(
      "push.apns.topic", .restart, \.push.apns.topic, expected: identifier,
      help: "Bundle id of the app.", read: readIdentifier),
    .text(
      "push.apns.url", .restart, \.push.apns.url, expected: serviceURL,
      help: "URL of Apple's push service. Its sandbox is https://api.sandbox.push.apple.com.",
      read: PushServiceURLText.read),
    .optional(
      "push.fcm.service_account", .restart, \.push.fcm.serviceAccount,
      expected: "the path of a JSON file",
      help: "Service account for pushes to Android devices by FCM. SIGHUP reads the file again.",
      read: { $0 }),
    .text(
      "push.fcm.url", .restart, \.push.fcm.url, expected: serviceURL, help: "URL of FCM.",
      read: PushServiceURLText.read),
    .choice(
      "push.fcm_style", .reload, \.push.fcm.style,
      help: "Pushes by FCM that the system shows (notification), or that the app handles (data)."),
    .optional(
      "push.ca_file", .restart, \.push.certificatesFile, expected: "the path of a PEM file",
      help: "Certificates that are trusted for push services, besides the system's.", read: { $0 }),
    .list(
      "push.allow_addresses", .restart, \.push.allowedNetworks, expected: network,
      help: "Networks outside the public internet in which push services of browsers may be.",
      write: \.description, read: { try? Network(parsing: $0) }),
    .list(
      "push.allow_ports", .restart, \.push.allowedPorts,
      expected: "a port or a range of ports, such as 8000-8099",
      help: "Ports of push services of browsers.",
      write: PortPolicy.text, read: PortPolicy.range),
  ]

  private static let ownPushService: [SettingDefinition] = [
    .optional(
      "push.url", .restart, \.push.url, .openWithoutQuery,
      expected: "an http or https URL without credentials",
      help: "URL of a service that sends the pushes of push.url_types.", read: WebhookURLText.read),
    .list(
      "push.url_types", .restart, \.push.urlTypes,
      expected: "one of " + PushTokenType.allCases.map(\.rawValue).joined(separator: ", "),
      help: "Types of tokens whose pushes are posted to push.url.", write: \.rawValue,
      read: { PushTokenType(rawValue: $0) }),
    .optional(
      "push.secret", .reload, \.push.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret for signing requests to push.url. It is required if push.url is set.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
  ]

  private static let pushing: [SettingDefinition] = [
    .integer(
      "push.concurrency", .restart, \.push.concurrency, in: 2...1_024,
      unit: "a number of requests", help: "Requests to push services at the same time."),
    .integer(
      "push.delay_ms", .restart, \.push.delayMilliseconds, in: 0...600_000, unit: "milliseconds",
      help: "Time between a message and its pushes. Users who read it meanwhile get none."),
    .integer(
      "push.max_age_seconds", .reload, \.push.maximumAgeSeconds, in: 1...2_419_200,
      unit: "seconds", help: "Age from which a message is not pushed."),
    .integer(
      "push.ttl_seconds", .reload, \.push.lifetimeSeconds, in: 0...2_419_200, unit: "seconds",
      help: "Time for which push services try to reach a device. 0 means once."),
    .toggle(
      "push.show_text", .reload, \.push.texts.showsText,
      help: "Whether pushes contain the text of the message."),
    .text(
      "push.title", .reload, \.push.texts.title, expected: shortText,
      help: "Title of pushes of admin messages in channels without a name.", read: readText),
    .text(
      "push.text_file", .reload, \.push.texts.file, expected: shortText,
      help: "Text of pushes of files. {sender} stands for the name of the sender.",
      read: readText),
    .text(
      "push.text_hidden", .reload, \.push.texts.hidden, expected: shortText,
      help: "Text of pushes that do not show the text of the message.", read: readText),
    .toggle(
      "push.clear_on_read", .reload, \.push.clearsOnRead,
      help:
        "Whether devices get the number of unread messages when their user reads on another device."
    ),
    .toggle(
      "push.open_channel_mentions", .restart, \.push.pushesOpenChannelMentions,
      help: "Push messages in open channels to mentioned users without a session."),
    .integer(
      "push.per_user_per_minute", .reload, \.push.perUserMinute, in: 0...100_000, unit: minute,
      help:
        "Pushes with an alert to a user per minute; further ones only change the badge. 0 means unlimited."
    ),
    .integer(
      "push.per_sender_per_minute", .reload, \.push.perSenderMinute, in: 0...10_000_000,
      unit: minute,
      help:
        "Pushes that the messages of a user cause per minute; further ones are dropped. 0 means unlimited."
    ),
  ]
}
