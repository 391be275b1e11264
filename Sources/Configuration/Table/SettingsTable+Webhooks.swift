import ParleyProtocol

extension SettingsTable {
  /// The shortest secret that cannot be found by trying.
  private static let secretBytes = 16

  /// Settings for webhooks.
  static let webhooks: [SettingDefinition] = [
    .list(
      "webhooks.urls", \.webhooks.urls,
      expected: "an http or https URL without credentials",
      help: "URLs that receive events of channels and messages.",
      write: { $0 }, read: WebhookURLText.read),
    .optional(
      "webhooks.secret", \.webhooks.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret for signing requests. It is required if webhooks.urls is set.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
    .list(
      "webhooks.events", \.webhooks.events, orElse: .described("all events"),
      expected: "one of " + EventName.posted.map(\.rawValue).joined(separator: ", "),
      help: "Events to post.", write: \.rawValue,
      read: { name in EventName.posted.first { $0.rawValue == name } }),
    .integer(
      "webhooks.timeout_ms", \.webhooks.timeoutMilliseconds, in: 100...60_000,
      unit: "milliseconds", help: "Time limit for one request."),
    .integer(
      "webhooks.concurrency", \.webhooks.concurrency, in: 1...256, unit: "a number of requests",
      help: "Requests to one URL at the same time, each with events of a different channel."),
    .integer(
      "webhooks.retry_seconds", \.webhooks.retrySeconds, in: 0...31_536_000, unit: "seconds",
      help: "Age up to which a failed event is retried. 0 disables retries."),
    .integer(
      "webhooks.backlog_events", \.webhooks.backlogEvents, in: 1...100_000_000,
      unit: "a number of events",
      help: "Events that may wait. Beyond this number, the oldest are dropped."),
  ]
}
