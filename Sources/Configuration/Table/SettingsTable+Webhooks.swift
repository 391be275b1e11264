import ParleyProtocol

extension SettingsTable {
  /// A shorter one could be found by trying.
  private static let secretBytes = 16

  /// Which events are posted where.
  static let webhooks: [SettingDefinition] = [
    .list(
      "webhooks.urls", \.webhooks.urls,
      expected: "an http or https URL without credentials",
      help: "URLs that events of channels and messages are posted to.",
      write: { $0 }, read: WebhookURLText.read),
    .optional(
      "webhooks.secret", \.webhooks.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret that requests to webhooks are signed with; needed with a URL.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
    .list(
      "webhooks.events", \.webhooks.events, orElse: .described("all of them"),
      expected: "one of " + EventName.posted.map(\.rawValue).joined(separator: ", "),
      help: "Events that are posted.", write: \.rawValue,
      read: { name in EventName.posted.first { $0.rawValue == name } }),
    .integer(
      "webhooks.timeout_ms", \.webhooks.timeoutMilliseconds, in: 100...60_000,
      unit: "milliseconds", help: "Longest time that one request to a webhook may take."),
    .integer(
      "webhooks.concurrency", \.webhooks.concurrency, in: 1...256, unit: "a number of requests",
      help: "Requests to one URL at a time, each with events of another channel."),
    .integer(
      "webhooks.retry_seconds", \.webhooks.retrySeconds, in: 0...31_536_000, unit: "seconds",
      help: "How old an event may be that failed and is tried again."),
    .integer(
      "webhooks.backlog_events", \.webhooks.backlogEvents, in: 1...100_000_000,
      unit: "a number of events",
      help: "Most events that wait; beyond, the oldest are dropped."),
  ]
}
