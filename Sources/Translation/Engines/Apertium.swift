import Basics
import ParleyProtocol

/// The requests and responses of apertium-apy.
enum Apertium {
  /// Longer queries are sent with POST: servers limit the length of a request line.
  private static let queryByteCount = 4_096

  static func translation(
    of text: String, into code: String, at service: TranslationEndpoint
  ) -> EngineRequest {
    let source = ApertiumCodes.code(ofTag: service.source ?? "")
    let pair = PercentEncoding.encode("\(source)|\(code)")
    let query = "langpair=\(pair)&markUnknown=no&q=\(PercentEncoding.encode(text))"
    guard query.utf8.count > queryByteCount else {
      return .get("\(service.base)/translate?\(query)")
    }
    return .post(
      service.base + "/translate", Array(query.utf8), type: "application/x-www-form-urlencoded")
  }

  static func translation(in root: JSONNode) -> (text: String, source: String?)? {
    root["responseData"]?["translatedText"]?.string.map { ($0, nil) }
  }

  /// Returns the languages that the source can be translated into.
  static func codes(in root: JSONNode, source: String?) -> [String]? {
    guard let pairs = root["responseData"], pairs.kind == .array else { return nil }
    let wanted = source.map(ApertiumCodes.code)
    return pairs.elements.compactMap { pair in
      wanted == nil || pair["sourceLanguage"]?.string == wanted
        ? pair["targetLanguage"]?.string : nil
    }
  }
}

/// The names of languages in Apertium: ISO 639-3, with variants after an underscore.
enum ApertiumCodes {
  /// The languages that have a two-letter tag.
  private static let tags = [
    "afr": "af", "ara": "ar", "arg": "an", "ast": "ast", "bel": "be", "bos": "bs", "bre": "br",
    "bul": "bg", "cat": "ca", "ces": "cs", "cym": "cy", "dan": "da", "deu": "de", "ell": "el",
    "eng": "en", "epo": "eo", "est": "et", "eus": "eu", "fao": "fo", "fin": "fi", "fra": "fr",
    "gla": "gd", "gle": "ga", "glg": "gl", "hbs": "sh", "heb": "he", "hin": "hi", "hrv": "hr",
    "hun": "hu", "hye": "hy", "ina": "ia", "ind": "id", "isl": "is", "ita": "it", "jpn": "ja",
    "kaz": "kk", "kir": "ky", "kor": "ko", "lat": "la", "lav": "lv", "lit": "lt", "ltz": "lb",
    "mar": "mr", "mkd": "mk", "mlt": "mt", "msa": "ms", "nld": "nl", "nno": "nn", "nob": "nb",
    "nor": "no", "oci": "oc", "pol": "pl", "por": "pt", "ron": "ro", "rus": "ru", "slk": "sk",
    "slv": "sl", "sme": "se", "spa": "es", "sqi": "sq", "srd": "sc", "srp": "sr", "swe": "sv",
    "tat": "tt", "tgk": "tg", "tha": "th", "tuk": "tk", "tur": "tr", "uig": "ug", "ukr": "uk",
    "urd": "ur", "uzb": "uz", "vie": "vi", "zho": "zh",
  ]

  private static let codes = Dictionary(tags.map { ($1, $0) }) { first, _ in first }

  /// Converts `por_BR` to `pt-BR`.
  static func tag(ofCode code: String) -> String {
    let parts = code.split(separator: "_", omittingEmptySubsequences: false).map(String.init)
    return ([tags[parts[0]] ?? parts[0]] + parts.dropFirst()).joined(separator: "-")
  }

  /// Converts `pt-BR` to `por_BR`.
  static func code(ofTag tag: String) -> String {
    let parts = tag.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    let language = parts.first?.lowercased() ?? ""
    return ([codes[language] ?? language] + parts.dropFirst()).joined(separator: "_")
  }
}
