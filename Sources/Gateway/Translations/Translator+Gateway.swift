import Channels
import Configuration
import Curl
import Logging
import ParleyProtocol
import Telemetry
import Translation
import Translator

extension Translator {
  /// Starts the translator in the settings; `nil` when translations are off.
  static func start(
    _ settings: Settings, logger: Logger, observe: @escaping @Sendable (UInt64) -> Void
  ) throws -> Translator? {
    let translation = settings.translation
    guard let engine = translation.mode.engine else { return nil }
    guard let url = translation.url else { throw StartError("translation.url is not set") }
    let service = TranslationEndpoint(
      url: url, apiKey: translation.apiKey?.value,
      source: translation.source == TranslationSettings.detected ? nil : translation.source)
    var configuration = TranslatorConfiguration(engine: engine, service: service)
    configuration.cachesOnDisk = translation.cacheDiskBytes > 0 && translation.cacheSeconds > 0
    // The number of characters used today survives a restart, whether or not translations do.
    configuration.path =
      configuration.cachesOnDisk || translation.charactersPerDay > 0
      ? settings.dataDirectory + "/translations.sqlite" : nil
    configuration.timeout = settings.translationTimeoutMilliseconds
    // Shorter than the wait of a message, so that the next message does not wait in vain.
    configuration.patience = max(1, settings.sendWaitMilliseconds * 9 / 10)
    configuration.concurrency = translation.concurrency
    configuration.lifetime = translation.cacheSeconds
    configuration.diskBytes = translation.cacheDiskBytes
    configuration.charactersPerDay = translation.charactersPerDay
    configuration.charactersPerUserMinute = translation.charactersPerUserMinute
    configuration.userAgent = "Parley/\(Release.number)"
    return try Translator(configuration, logger: logger, observe: observe)
  }

  /// The known translations of a text, for the judge of a channel.
  func lookUp(_ text: String, _ languages: [String]) -> TranslationKnowledge {
    let found: Knowledge = lookUp(text, in: languages)
    return TranslationKnowledge(
      texts: found.texts, missing: found.missing, unsupported: found.unsupported, isSlow: isSlow)
  }
}

extension MessageTranslations {
  init(_ result: TranslationResult) {
    let failure: Failure? =
      switch result.failure {
      case .timedOut: .timedOut
      case .failed: .failed
      case nil: nil
      }
    self.init(result.texts, failure: failure)
  }
}

extension Translator {
  /// The metrics of translations.
  var samples: [MetricSample] {
    let figures = figures
    return TranslatorFigures.Outcome.allCases.map { outcome in
      MetricSample(
        "parley_translations_total", .counter, "Texts wanted in a language, by outcome.",
        figures.outcomes[outcome] ?? 0, .init("outcome", outcome.rawValue))
    } + [
      MetricSample(
        "parley_translation_characters_total", .counter,
        "Characters sent to the translation service.", figures.characters),
      MetricSample(
        "parley_translation_queue", .gauge, "Requests that wait for their turn.", figures.queued),
      MetricSample(
        "parley_translations_running", .gauge, "Requests that the translation service has.",
        figures.running),
      MetricSample(
        "parley_translation_service_up", .gauge, "1 while the translation service answers.",
        figures.isUp ? 1 : 0),
      MetricSample(
        "parley_translation_cache_entries", .gauge, "Translations in the file.", figures.rows),
      MetricSample(
        "parley_translation_cache_bytes", .gauge, "Bytes of the file of translations.",
        figures.fileBytes),
    ]
  }
}
