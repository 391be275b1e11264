internal import Basics
import ParleyProtocol

/// A way to ask a service for translations over HTTP: which request is made, and what its answer says.
///
/// Pure: bytes and values in, bytes and values out.
package enum TranslationEngine: String, Sendable, Hashable, CaseIterable {
  case libreTranslate = "libretranslate"
  case google
  case apertium

  /// The largest answer that is read, in bytes.
  package static let maximumAnswerBytes = 262_144

  /// The request for one text in one language.
  ///
  /// - Parameter code: The target as the engine names it.
  package func translation(
    of text: String, into code: String, at service: TranslationEndpoint
  ) -> EngineRequest {
    switch self {
    case .libreTranslate: LibreTranslate.translation(of: text, into: code, at: service)
    case .google: GoogleTranslate.translation(of: text, into: code, at: service)
    case .apertium: Apertium.translation(of: text, into: code, at: service)
    }
  }

  /// The request for the languages of the service.
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

  /// The meaning of an answer to ``translation(of:into:at:)``.
  ///
  /// - Parameters:
  ///   - text: The text that was sent.
  ///   - code: The target as the engine names it.
  package func outcome(
    status: Int, body: [UInt8], of text: String, into code: String
  ) -> TranslationOutcome {
    // Errors carry no words of the service: they may repeat the text.
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
    // What a message may not hold must not come into it by its translation.
    guard !found.text.utf8.contains(0) || text.utf8.contains(0) else {
      return .failed("the translation holds U+0000")
    }
    return .text(found.text)
  }

  /// The languages in an answer to ``languages(at:)``; `nil` when it has none.
  ///
  /// - Parameter source: The language of all texts; `nil` when the engine detects it.
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

  /// The engine's name of a language, made of the tag alone.
  package func code(ofTag tag: String) -> String {
    switch self {
    case .libreTranslate, .google: Self.inUsualCase(tag)
    case .apertium: ApertiumCodes.code(ofTag: tag)
    }
  }

  /// A tag in the case that its parts usually have (RFC 5646 §2.1.1), in which services name
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

/// A service, with what it needs to know of every request.
package struct TranslationEndpoint: Sendable, Hashable {
  /// Its URL without a slash at the end.
  package let base: String
  package let apiKey: String?
  /// The language of all texts; `nil` when the engine is to detect it.
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
  /// Header fields, each as a line.
  package let fields: [String]
  /// Posted if there is one.
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

/// The end of the question for one text in one language.
package enum TranslationOutcome: Sendable, Hashable {
  case text(String)
  /// The text is in that language.
  case same
  /// The service answers, and cannot do this.
  case refused
  /// The service has too much to do; nothing is to be asked for this number of milliseconds.
  case overloaded(wait: Int64)
  /// There is no answer that can be understood; the reason holds nothing of the text.
  case failed(String)
  case timedOut
  /// Nothing was asked: the engine lacks the language, the service does not answer, or what may be
  /// translated in a day is used up.
  case notAsked(TranslationSkip)
}

/// The reason why a service is not asked.
package enum TranslationSkip: String, Sendable, Hashable, CaseIterable {
  case unsupported
  case circuit
  case queue
  case budget
  /// The user has used its part of the budget.
  case share
  /// The user has had as much translated in this minute as it may.
  case rate
}

/// The languages of a service.
package struct TranslationLanguages: Sendable, Hashable {
  /// More than this number are not kept.
  static let maximumCount = 1_000

  /// The tags, in their order.
  package let tags: [String]
  private let codes: [String: String]

  init(_ found: [(tag: String, code: String)], except source: String?) {
    var codes: [String: String] = [:]
    var tags: [String] = []
    // An engine may name a language many times: each counts once.
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

  /// The engine's name of a language, whatever the case of the tag; `nil` when it is missing.
  package func code(ofTag tag: String) -> String? { codes[tag.lowercased()] }
}
