/// The source of translations.
package enum TranslationMode: String, Sendable, CaseIterable {
  /// No translations.
  case off
  /// A LibreTranslate server, or one with the same API.
  case libretranslate
  /// Google Cloud Translation, version 2.
  case google
  /// Apertium's `apertium-apy`.
  case apertium

  /// The engine; `nil` for ``off``.
  package var engine: TranslationEngine? {
    switch self {
    case .off: nil
    case .libretranslate: .libreTranslate
    case .google: .google
    case .apertium: .apertium
    }
  }
}
