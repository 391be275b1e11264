package import Translation

/// Translations of messages by a service.
package struct TranslationSettings: Sendable, Equatable {
  package var mode = TranslationMode.off
  /// The service's base; present unless the mode is `off`.
  package var url: String?
  package var apiKey: Secret?
  /// The language of all texts; `auto` for the engine to detect it.
  package var source = Self.detected
  package var timeoutMilliseconds: Int64 = 5_000
  /// The questions that are asked at a time.
  package var concurrency = 16
  /// The time for which a translation is remembered.
  package var cacheSeconds: Int64 = 2_592_000
  /// The size limit of the file of translations.
  package var cacheDiskBytes = 67_108_864
  /// The characters that may be sent to the service in a day; 0 for any number.
  package var charactersPerDay: Int64 = 0
  /// The characters that may be sent for a user in a minute: the longest message in ten languages; 0 for
  /// any number.
  package var charactersPerUserMinute: Int64 = 50_000

  /// Whether users decide how many characters are sent in a day to a service that asks for a key.
  package var isPaidWithoutLimit: Bool { mode != .off && apiKey != nil && charactersPerDay == 0 }

  /// The source that stands for none.
  package static let detected = "auto"
}
