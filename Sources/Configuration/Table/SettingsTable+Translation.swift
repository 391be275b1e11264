internal import ParleyProtocol
internal import Translation

extension SettingsTable {
  /// Settings for translations of messages.
  static let translation: [SettingDefinition] = [
    .choice(
      "translation.mode", .restart, \.translation.mode,
      help:
        "Source of translations: a service that speaks like LibreTranslate, Google or Apertium, or none (off)."
    ),
    .optional(
      "translation.url", .restart, \.translation.url,
      expected: "an http or https URL without credentials",
      help: "URL of the translation service. The texts of messages are sent to it.",
      read: { text in WebhookURLText.read(text).flatMap { $0.contains("?") ? nil : $0 } }),
    .optional(
      "translation.api_key", .restart, \.translation.apiKey, .secret,
      expected: "a text of visible ASCII characters",
      help: "API key of the service, for LibreTranslate and Google.",
      read: { text in
        !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7e).contains($0) } ? Secret(text) : nil
      }),
    .text(
      "translation.source", .restart, \.translation.source,
      expected: "a language tag such as en, or auto",
      help: "Language of all messages. auto means that the engine detects it; Apertium cannot.",
      read: { text in
        text == TranslationSettings.detected || (try? LanguageTag.check(text, "")) != nil
          ? text : nil
      }),
    .integer(
      "translation.timeout_ms", .restart, \.translation.timeoutMilliseconds, in: 100...60_000,
      unit: "milliseconds", help: "Time limit for the translations of one message."),
    .integer(
      "translation.concurrency", .restart, \.translation.concurrency, in: 1...1_024,
      unit: "a number of requests", help: "Requests to the service at the same time."),
    .integer(
      "translation.cache_ttl_seconds", .restart, \.translation.cacheSeconds, in: 0...315_360_000,
      unit: "seconds", help: "Lifetime of a cached translation. 0 disables caching."),
    .integer(
      "translation.cache_disk_bytes", .restart, \.translation.cacheDiskBytes,
      in: 0...1_099_511_627_776,
      unit: "bytes", help: "Disk space for cached translations. 0 keeps them only in memory."),
    .integer(
      "translation.characters_per_day", .restart, \.translation.charactersPerDay,
      in: 0...1_000_000_000_000, unit: "characters",
      help: "Characters sent to the service per day (UTC). 0 means unlimited."),
    .integer(
      "translation.characters_per_user_minute", .restart, \.translation.charactersPerUserMinute,
      in: 0...1_000_000_000_000, unit: "characters",
      help: "Characters sent to the service for one user per minute and server. 0 means unlimited."),
  ]
}
