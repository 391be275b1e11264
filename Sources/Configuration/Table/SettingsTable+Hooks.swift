internal import ParleyProtocol

extension SettingsTable {
  private static let hookNames = HookName.allCases.map(\.rawValue).joined(separator: ", ")

  /// Settings for asking the app's back end.
  static let hooks: [SettingDefinition] = [
    .optional(
      "hooks.url", .restart, \.hooks.url, .openWithoutQuery,
      expected: "an http or https URL without credentials",
      help: "URL of the app's back end, which is asked before the calls of hooks.events.",
      read: WebhookURLText.read),
    .table(
      "hooks.urls", .restart, \.hooks.urls, .openWithoutQuery,
      expected: "a hook and its URL, such as message.send=https://chat.example.com/send",
      help: "URLs of hooks that have one of their own.",
      write: \.description, read: { HookURL($0) }),
    .list(
      "hooks.events", .restart, \.hooks.events, expected: "one of \(hookNames)",
      help: "Calls that are carried out only if the app's back end allows them.",
      write: \.rawValue, read: { HookName(rawValue: $0) }),
    .optional(
      "hooks.secret", .reload, \.hooks.secret, .secret,
      expected: "a text of at least \(secretBytes) bytes",
      help: "Secret for signing requests. It is required if hooks.events is set.",
      read: { $0.utf8.count >= secretBytes ? Secret($0) : nil }),
    .integer(
      "hooks.timeout_ms", .reload, \.hooks.timeoutMilliseconds, in: 10...5_000,
      unit: "milliseconds", help: "Time for an answer, including that in the queue."),
    .integer(
      "hooks.concurrency", .reload, \.hooks.concurrency, in: 1...1_024,
      unit: "a number of requests",
      help: "Requests at the same time. Another 1,024 calls may wait."),
    .table(
      "hooks.on_failure", .reload, \.hooks.onFailure,
      expected: "deny or allow, for all hooks or for one, such as message.send=allow",
      help: "Treatment of calls without a valid answer in time.",
      write: \.description, read: { HookFailureRule($0) }),
    .integer(
      "hooks.session_cache_seconds", .reload, \.hooks.sessionCacheSeconds, in: 0...300,
      unit: "seconds",
      help:
        "Time for which permission to open a session is kept for a user and a token. 0 keeps none."),
    .toggle(
      "hooks.platform", .restart, \.hooks.asksPlatform,
      help: "Whether the Platform API's messages, edits, invitations and joins are asked about too."
    ),
  ]
}
