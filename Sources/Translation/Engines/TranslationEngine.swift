internal import Basics
import ParleyProtocol

/// The protocol of a translation service over HTTP: creates its requests and parses its responses.
///
/// Pure functions of bytes and values.
package enum TranslationEngine: String, Sendable, Hashable, CaseIterable {
  case libreTranslate = "libretranslate"
  case google
  case apertium

  /// The maximum size of a response, in bytes.
  package static let maximumAnswerBytes = 262_144

  /// Returns the request for one text in one language.
  ///
  /// - Parameter code: The target language as named by the engine.
  package func translation(
    of text: String, into code: String, at service: TranslationEndpoint
  ) -> EngineRequest {
    switch self {
    case .libreTranslate: LibreTranslate.translation(of: text, into: code, at: service)
    case .google: GoogleTranslate.translation(of: text, into: code, at: service)
    case .apertium: Apertium.translation(of: text, into: code, at: service)
    }
  }

  /// Returns the request for the languages of the service.
  package func languages(at service: TranslationEndpoint) -> EngineRequest {
    switch self {
    case .libreTranslate: .get(service.base + "/languages")
    case .google:
      .get(
        service.base + "/language/translate/v2/languages",
        fields: GoogleTranslate.fields(of: service))
    case .apertium: .get(service.base + "/listPairs")
    }
  }

  /// Parses a response to ``translation(of:into:at:)``.
  ///
  /// - Parameters:
  ///   - text: The text that was sent.
  ///   - code: The target language as named by the engine.
  package func outcome(
    status: Int, body: [UInt8], of text: String, into code: String
  ) -> TranslationOutcome {
    // Errors contain no text from the service, which may repeat the source text.
    switch status {
    case 200: break
    case 400 where self == .google && Self.document(body).map(GoogleTranslate.refusesKey) == true:
      return .failed("the API key is not valid")
    case 400, 413, 414, 422: return .refused
    default: return .failed("status \(status)")
    }
    guard let root = Self.document(body) else { return .failed("the answer is no JSON object") }
    let found: (text: String, source: String?)?
    switch self {
    case .libreTranslate: found = LibreTranslate.translation(in: root)
    case .google: found = GoogleTranslate.translation(in: root)
    case .apertium: found = Apertium.translation(in: root)
    }
    guard let found else { return .failed("the answer has no translation") }
    if let source = found.source, source.lowercased() == code.lowercased() { return .same }
    guard !found.text.unicodeScalars.allSatisfy(DisplayText.isBlank) else {
      return .failed("the translation is empty")
    }
    // A translation must not add characters that a message must not contain.
    guard !found.text.utf8.contains(0) || text.utf8.contains(0) else {
      return .failed("the translation holds U+0000")
    }
    return .text(found.text)
  }

  /// Parses the languages in a response to ``languages(at:)``; `nil` if there are none.
  ///
  /// - Parameter source: The language of all texts; `nil` if the engine detects it.
  package func languages(in body: [UInt8], source: String?) -> TranslationLanguages? {
    guard let document = try? JSONDocument(body, limits: Self.limits) else { return nil }
    let codes: [String]?
    switch self {
    case .libreTranslate: codes = LibreTranslate.codes(in: document.root, source: source)
    case .google: codes = GoogleTranslate.codes(in: document.root)
    case .apertium: codes = Apertium.codes(in: document.root, source: source)
    }
    guard let codes else { return nil }
    let tags = codes.map { code in (tag: tag(ofCode: code), code: code) }
    return TranslationLanguages(tags, except: source.map { tag(ofCode: self.code(ofTag: $0)) })
  }

  /// Returns the engine's name of a language, derived from the tag alone.
  package func code(ofTag tag: String) -> String {
    switch self {
    case .libreTranslate, .google: Self.inUsualCase(tag)
    case .apertium: ApertiumCodes.code(ofTag: tag)
    }
  }

  /// Returns a tag in the usual case of its parts (RFC 5646 §2.1.1), which services use for
  /// languages: `zh-Hant-TW`.
  private static func inUsualCase(_ tag: String) -> String {
    let parts = tag.split(separator: "-", omittingEmptySubsequences: false)
    let written = parts.enumerated().map { place, part -> String in
      switch (place, part.utf8.count) {
      case (1..., 2): part.uppercased()
      case (1..., 4): part.prefix(1).uppercased() + part.dropFirst().lowercased()
      default: part.lowercased()
      }
    }
    return written.joined(separator: "-")
  }

  private func tag(ofCode code: String) -> String {
    switch self {
    case .libreTranslate, .google: code
    case .apertium: ApertiumCodes.tag(ofCode: code)
    }
  }

  private static let limits = JSONLimits(byteCount: maximumAnswerBytes, depth: 16)

  private static func document(_ body: [UInt8]) -> JSONNode? {
    guard let root = try? JSONDocument(body, limits: limits).root, root.kind == .object else {
      return nil
    }
    return root
  }
}

/// A service, with the parameters of all its requests.
package struct TranslationEndpoint: Sendable, Hashable {
  /// The base URL, without a trailing slash.
  package let base: String
  package let apiKey: String?
  /// The language of all texts; `nil` if the engine must detect it.
  package let source: String?

  package init(url: String, apiKey: String? = nil, source: String? = nil) {
    var base = url[...]
    while base.hasSuffix("/") { base = base.dropLast() }
    self.base = String(base)
    self.apiKey = apiKey
    self.source = source
  }
}

/// An HTTP request to a service.
package struct EngineRequest: Sendable, Hashable {
  package let url: String
  /// Header fields, one per line.
  package let fields: [String]
  /// The body; if there is one, the request is a POST.
  package let body: [UInt8]?

  static func get(_ url: String, fields: [String] = []) -> EngineRequest {
    EngineRequest(url: url, fields: ["Accept: application/json"] + fields, body: nil)
  }

  static func post(
    _ url: String, _ body: [UInt8], type: String = "application/json", fields: [String] = []
  ) -> EngineRequest {
    EngineRequest(
      url: url, fields: ["Content-Type: \(type)", "Accept: application/json"] + fields, body: body)
  }
}

/// The outcome of the query for one text in one language.
package enum TranslationOutcome: Sendable, Hashable {
  case text(String)
  /// The text is already in that language.
  case same
  /// The service responded that it cannot translate this.
  case refused
  /// The service is overloaded; it must not be queried for this number of milliseconds.
  case overloaded(wait: Int64)
  /// There is no valid response; the reason contains nothing of the text.
  case failed(String)
  case timedOut
  /// No query was sent: the engine lacks the language, the service is down, or the budget of the
  /// day is used up.
  case notAsked(TranslationSkip)
}

/// The reason why a service is not queried.
package enum TranslationSkip: String, Sendable, Hashable, CaseIterable {
  case unsupported
  case circuit
  case queue
  case budget
  /// The user has used its share of the budget.
  case share
  /// The user has reached its limit of characters per minute.
  case rate
}

/// The languages of a service.
package struct TranslationLanguages: Sendable, Hashable {
  /// The maximum number of languages.
  static let maximumCount = 1_000

  /// The tags, in order.
  package let tags: [String]
  private let codes: [String: String]

  init(_ found: [(tag: String, code: String)], except source: String?) {
    var codes: [String: String] = [:]
    var tags: [String] = []
    // An engine may list a language several times: it counts once.
    for (tag, code) in found where tags.count < Self.maximumCount {
      let key = tag.lowercased()
      guard codes[key] == nil, key != source?.lowercased(),
        tag.unicodeScalars.count <= Limits.languageTagLength,
        (try? LanguageTag.check(tag, "")) != nil
      else { continue }
      codes[key] = code
      tags.append(tag)
    }
    self.tags = tags.sorted()
    self.codes = codes
  }

  /// Returns the engine's name of a language, ignoring the case of the tag; `nil` if it is missing.
  package func code(ofTag tag: String) -> String? { codes[tag.lowercased()] }
}
