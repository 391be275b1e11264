package import Translation

/// The settings for translating messages with a service.
package struct TranslationSettings: Sendable, Equatable {
  package var mode = TranslationMode.off
  /// The base URL of the service; present unless the mode is `off`.
  package var url: String?
  package var apiKey: Secret?
  /// The language of all texts; `auto` makes the engine detect it.
  package var source = Self.detected
  package var timeoutMilliseconds: Int64 = 5_000
  /// The maximum number of simultaneous requests.
  package var concurrency = 16
  /// The time for which a translation is cached.
  package var cacheSeconds: Int64 = 2_592_000
  /// The size limit of the translation cache file.
  package var cacheDiskBytes = 67_108_864
  /// The number of characters that may be sent to the service per day; 0 means no limit.
  package var charactersPerDay: Int64 = 0
  /// The number of characters that may be sent for a user per minute: the longest message in ten
  /// languages; 0 means no limit.
  package var charactersPerUserMinute: Int64 = 50_000

  /// Whether users can send any number of characters per day to a service that requires a key.
  package var isPaidWithoutLimit: Bool { mode != .off && apiKey != nil && charactersPerDay == 0 }

  /// The value that makes the engine detect the language.
  package static let detected = "auto"
}
