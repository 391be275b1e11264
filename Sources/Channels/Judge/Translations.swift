import ParleyProtocol

/// Translations of a message's text, and the reason why some are missing.
package struct MessageTranslations: Sendable, Hashable {
  package enum Failure: String, Sendable, Hashable {
    case timedOut = "timed_out"
    case failed
  }

  /// By language, as requested.
  package let texts: [String: String]
  /// `nil` if all possible translations arrived.
  package let failure: Failure?
  /// The languages of the call that requests them; empty for translations that the sender requested.
  package var demanded: [String] = []

  package init(_ texts: [String: String], failure: Failure? = nil) {
    self.texts = texts
    self.failure = failure
  }

  /// The message with the missing translations that fit; `nil` if none is added.
  ///
  /// If all places are taken, the language that was first added on demand is replaced.
  func applied(to message: Message) -> Message? {
    guard message.type != .file else { return nil }
    var message = message
    var hasChanged = false
    for (language, text) in texts.sorted(by: { $0.key < $1.key })
    where !message.hasTranslation(into: language) {
      var changed = message
      guard changed.makePlace(sparing: demanded) else { break }
      changed.translations[language] = text
      if !demanded.isEmpty {
        changed.languagesOnDemand.removeAll { changed.translations[$0] == nil || $0 == language }
        changed.languagesOnDemand.append(language)
      }
      guard MessageSize(changed).total <= Limits.messageByteCount else { continue }
      message = changed
      hasChanged = true
    }
    return hasChanged ? message : nil
  }
}

/// The translator's knowledge about a text in some languages.
package struct TranslationKnowledge: Sendable, Hashable {
  /// Cached translations.
  package let texts: [String: String]
  /// The languages that may still arrive; the text's own language is in neither collection.
  package let missing: [String]
  package let unsupported: [String]
  /// Whether the translator is so slow that no message should wait for it.
  package let isSlow: Bool

  package init(
    texts: [String: String] = [:], missing: [String] = [], unsupported: [String] = [],
    isSlow: Bool = false
  ) {
    self.texts = texts
    self.missing = missing
    self.unsupported = unsupported
    self.isSlow = isSlow
  }

  /// The languages that a message may have.
  var languages: [String] { missing + texts.keys.sorted() }
}

/// A call for translations of a published message.
struct TranslationDemand: Sendable {
  let message: Message
  let call: CallID
  /// The connection that receives them as the answer.
  let session: SessionAddress?
  /// The caller's place for the bytes of the update; `nil` if it took none.
  let place: FloodPlace?
  /// The requested languages.
  let languages: [String]
  /// Whether the translations are stored and published; otherwise only the caller receives them.
  let isKept: Bool
}

/// The decision on a call for translations.
enum TranslationDecision: Sendable {
  /// The message has all possible translations.
  case nothing
  case add(MessageTranslations)
  case ask([String])
}

extension Message {
  func hasTranslation(into language: String) -> Bool {
    let language = language.lowercased()
    return translations.keys.contains { $0.lowercased() == language }
  }

  /// Removes translations for which the message has no room, the largest first.
  ///
  /// Any reader may have a message translated, which must not prevent its author and participants
  /// from changing the message.
  mutating func removeExcessTranslations() {
    while !translations.isEmpty, MessageSize(self).total > Limits.messageByteCount,
      let largest = translations.max(by: {
        ($0.value.utf8.count, $0.key) < ($1.value.utf8.count, $1.key)
      })
    {
      translations[largest.key] = nil
    }
  }

  /// Drops a language that was added on demand, if all places are taken.
  ///
  /// - Parameter languages: The languages to keep.
  /// - Returns: Whether there is a place.
  fileprivate mutating func makePlace(sparing languages: [String]) -> Bool {
    guard translations.count >= Limits.languageCount else { return true }
    guard let oldest = yielding(besides: languages).first else { return false }
    translations[oldest] = nil
    languagesOnDemand.removeAll { $0 == oldest }
    return true
  }

  /// The languages that may be dropped, the oldest first.
  private func yielding(besides languages: [String]) -> [String] {
    let spared = Set(languages.map { $0.lowercased() })
    return languagesOnDemand.filter {
      translations[$0] != nil && !spared.contains($0.lowercased())
    }
  }

  /// - Throws: 400203 if the new languages do not fit while the others of the call stay.
  func requirePlaces(
    for new: [String], besides languages: [String]
  ) throws(ServiceError) {
    let places = Limits.languageCount - translations.count + yielding(besides: languages).count
    guard new.count <= places else { throw .tooMany("target_langs", limit: Limits.languageCount) }
  }

  /// The message for a caller whose translations are not stored: with the languages of the call,
  /// and with others if all of them fit.
  func showing(_ texts: MessageTranslations, for languages: [String]) -> Message {
    var shown = self
    if translations.count + texts.texts.count > Limits.languageCount {
      let wanted = Set(languages.map { $0.lowercased() })
      shown.translations = translations.filter { wanted.contains($0.key.lowercased()) }
    }
    return texts.applied(to: shown) ?? shown
  }

  /// Decides on a call for translations.
  ///
  /// - Throws: 400111 for a message that is not a user's text, without a translator, and if the
  ///   translator supports none of the languages.
  func decideTranslations(
    into languages: [String], _ sources: JudgeSources
  ) throws(ServiceError) -> TranslationDecision {
    guard type == .user else { throw .untranslatable(type) }
    let wanted = languages.filter { !hasTranslation(into: $0) }
    guard !wanted.isEmpty else { return .nothing }
    guard let knowledge = sources.lookUpTranslations?(text, wanted) else {
      throw .noTranslator("target_langs")
    }
    guard knowledge.unsupported.count < languages.count else {
      throw .unsupportedLanguages(knowledge.unsupported)
    }
    let new = knowledge.languages
    guard !new.isEmpty else { return .nothing }
    return knowledge.missing.isEmpty ? .add(MessageTranslations(knowledge.texts)) : .ask(new)
  }
}

extension ServiceError {
  /// No translation arrived.
  static func noTranslation(_ failure: MessageTranslations.Failure) -> ServiceError {
    let words =
      switch failure {
      case .timedOut: "the translation service has not answered in time"
      case .failed: "the translation service has failed, or is not asked at the moment"
      }
    return ServiceError(
      .internalError, words + ": try again later", data: ErrorDetails(reason: failure.rawValue))
  }
}
