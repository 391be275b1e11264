import ParleyProtocol

/// Translations of messages that are published.
extension PendingWork {
  /// Translates a message for a call, or answers the call.
  mutating func translate(
    _ message: Message, for view: View, at now: Moment, into actions: inout JudgeActions
  ) {
    do throws(ServiceError) {
      switch try message.decideTranslations(into: view.languages, standing.sources) {
      case .nothing: actions.answer(view.call, .success(.message(message)))
      case .add(let translations):
        let added = translations.texts.keys.sorted()
        let demand = try demand(message, adding: added, for: view, at: now, into: &actions)
        add(translations, for: demand, into: &actions)
      case .ask(let languages):
        let demand = try demand(message, adding: languages, for: view, at: now, into: &actions)
        enrichments.translate(
          demand, into: languages, by: view.principal.user?.id, into: &actions)
      }
    } catch {
      actions.answer(view.call, .failure(error))
    }
  }

  /// Charges the caller for the update that its call causes.
  ///
  /// The call of a user who may not send causes no update: any reader may have a message
  /// translated, and only the answer contains such a translation.
  private mutating func demand(
    _ message: Message, adding languages: [String], for view: View, at now: Moment,
    into actions: inout JudgeActions
  ) throws(ServiceError) -> TranslationDemand {
    let isKept = (try? standing.rights.requireCounting(view.principal, at: now.unix)) != nil
    var place: FloodPlace?
    if isKept {
      try message.requirePlaces(for: languages, besides: view.languages)
      place = try standing.takeBytes(view.principal, at: now.monotonic, into: &actions)
    }
    return TranslationDemand(
      message: message, call: view.call, session: view.principal.session, place: place,
      languages: view.languages, isKept: isKept)
  }

  /// Adds translations that a call waits for; answers the call if there are none.
  mutating func add(
    _ translations: MessageTranslations, for demand: TranslationDemand,
    into actions: inout JudgeActions
  ) {
    guard translations.texts.isEmpty else {
      guard demand.isKept else {
        let shown = demand.message.showing(translations, for: demand.languages)
        return actions.answer(demand.call, .success(.message(shown)))
      }
      var translations = translations
      translations.demanded = demand.languages
      let change = PendingChange(
        change: .enrichment(.translations(translations), text: demand.message.text),
        right: .everyMessage, authorID: nil, session: demand.session, call: demand.call,
        place: demand.place)
      return changes.add(change, ofMessage: demand.message.id, in: standing, into: &actions)
    }
    standing.flood.giveBack(demand.place)
    let hasPart = demand.languages.contains { demand.message.hasTranslation(into: $0) }
    if let failure = translations.failure, !hasPart {
      actions.answer(demand.call, .failure(.noTranslation(failure)))
    } else {
      actions.answer(demand.call, .success(.message(demand.message)))
    }
  }

  /// Translates the new text of a message into the languages of the former text.
  mutating func translateAnew(
    _ published: PublishedMessage?, by authorID: String?, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let published else { return }
    let message = published.message
    var languages: [String] = []
    for language in published.languages + enrichments.giveUpTranslations(ofMessage: message.id)
    where !languages.contains(where: { $0.lowercased() == language.lowercased() }) {
      languages.append(language)
    }
    guard !languages.isEmpty,
      let knowledge = standing.sources.lookUpTranslations?(message.text, languages)
    else { return }
    if !knowledge.missing.isEmpty {
      enrichments.translate(message, into: knowledge.languages, by: authorID, into: &actions)
    } else if !knowledge.texts.isEmpty {
      add(.translations(MessageTranslations(knowledge.texts)), to: message, at: now, into: &actions)
    }
  }
}
