package import LinkPreview
package import ParleyProtocol

/// Identifies an enrichment in progress.
package struct EnrichmentID: Hashable, Sendable {
  package let number: UInt64
}

/// A request for an addition to a message: after publication, or before if the addition arrives in
/// time.
package struct EnrichmentRequest: Sendable {
  package enum Subject: Sendable, Hashable {
    /// The preview of the link in the text, or else of the first other one that has a preview.
    case preview(Link, otherwise: [Link] = [])
    /// Small pictures of an uploaded file.
    case thumbnails(MessageFile, [ThumbnailSize])
    /// The text in other languages.
    case translations(of: String, into: [String])
  }

  package let id: EnrichmentID
  package let subject: Subject
  /// The author of the text; `nil` for the Platform API.
  package let authorID: String?
}

/// An addition to a message from an external source.
package enum Enrichment: Sendable, Hashable {
  case preview(OpenGraphTag)
  case thumbnails([MessageThumbnail])
  case translations(MessageTranslations)

  /// The message with the addition; `nil` if it already has the addition, or cannot take it.
  func applied(to message: Message) -> Message? {
    var message = message
    switch self {
    case .preview(let tag):
      guard message.openGraphTag != tag else { return nil }
      message.openGraphTag = tag
    case .thumbnails(let thumbnails):
      guard let file = message.file, file.thumbnails != thumbnails else { return nil }
      message.file?.thumbnails = thumbnails
    case .translations(let translations): return translations.applied(to: message)
    }
    return message
  }

  /// Whether the addition still applies after the text of its message has changed.
  var outlivesText: Bool {
    switch self {
    case .preview, .translations: false
    case .thumbnails: true
    }
  }
}

extension JudgeSources {
  /// The maximum number of links tried per text.
  private static let mostLinks = 3

  /// Looks up the links of a message's text, until one has a preview or must be fetched.
  ///
  /// The text beside a file describes it; its link is the file's own.
  func preview(ofText text: String, in type: MessageType, by authorID: String?) -> LinkKnowledge {
    guard type != .file, let lookUpPreview, var finder = LinkFinder(text) else { return .noLink }
    var knowledge = LinkKnowledge.noLink
    var tried: [Link] = []
    while let link = Self.nextLink(of: &finder, after: tried) {
      tried.append(link)
      knowledge = lookUpPreview(link, authorID)
      switch knowledge {
      case .none: continue
      case .noLink, .found: return knowledge
      case .unknown:
        var others: [Link] = []
        while let other = Self.nextLink(of: &finder, after: tried + others) { others.append(other) }
        return .unknown(link, otherwise: others)
      }
    }
    return knowledge
  }

  /// Returns the next untried link; `nil` if enough links were tried.
  private static func nextLink(of finder: inout LinkFinder, after tried: [Link]) -> Link? {
    guard tried.count < mostLinks else { return nil }
    while let url = finder.next() {
      let link = Link(url)
      if !tried.contains(link) { return link }
    }
    return nil
  }
}

extension MessageDraft {
  /// Whether the sender requests additions that may have to be waited for.
  var hasWishes: Bool { thumbnailSizes != nil || !translationLanguages.isEmpty }

  /// The additions that the sender requests.
  func wishes(_ sources: JudgeSources) -> MessageWishes {
    var wishes = MessageWishes()
    if let sizes = thumbnailSizes, !sizes.isEmpty, let file, !file.id.isEmpty {
      wishes.missing.append(.thumbnails(file, sizes))
    }
    if !translationLanguages.isEmpty, let lookUp = sources.lookUpTranslations {
      let knowledge = lookUp(text, translationLanguages)
      if !knowledge.texts.isEmpty {
        wishes.known.append(.translations(MessageTranslations(knowledge.texts)))
      }
      if !knowledge.missing.isEmpty {
        wishes.missing.append(.translations(of: text, into: knowledge.missing))
        wishes.isAwaited = !knowledge.isSlow
      }
    }
    return wishes
  }
}

/// The additions that a sender requests.
struct MessageWishes: Sendable {
  var known: [Enrichment] = []
  var missing: [EnrichmentRequest.Subject] = []
  /// Whether the message waits for missing additions.
  var isAwaited = true
}

/// The enrichments in progress, with their messages.
struct PendingEnrichments: Sendable {
  /// The state of the message.
  private enum Place: Sendable {
    /// Not published; a part of the addition may have arrived.
    case ahead(Enrichment?)
    /// Not published; the addition has arrived, if there is one.
    case arrived(Enrichment?)
    case published(Message)
    /// Published, and a call waits for the addition.
    case demanded(TranslationDemand)
  }

  /// The effect of an addition that has arrived.
  enum Arrival {
    /// For a message that has not been published; the addition is kept.
    case early
    case late(Message)
    case demanded(TranslationDemand)
  }

  private var places: [EnrichmentID: Place] = [:]
  /// The languages of translations in progress that no call waits for.
  private var languages: [EnrichmentID: [String]] = [:]
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { places.isEmpty }

  // MARK: After publishing

  /// Counts the known preview of a published text's link, and requests an unknown one.
  mutating func begin(
    _ preview: LinkKnowledge, of message: Message, by authorID: String?,
    into actions: inout JudgeActions
  ) {
    switch preview {
    case .noLink: break
    case .none: actions.count { $0.previewsNone += 1 }
    case .found: actions.count { $0.previewsAttached += 1 }
    case .unknown(let link, let others):
      _ = ask(
        for: .preview(link, otherwise: others), at: .published(message), by: authorID,
        into: &actions)
    }
  }

  /// Requests translations of a published message.
  mutating func translate(
    _ message: Message, into languages: [String], by authorID: String?,
    into actions: inout JudgeActions
  ) {
    _ = ask(
      for: .translations(of: message.text, into: languages), at: .published(message), by: authorID,
      into: &actions)
  }

  /// Requests translations that a call waits for.
  mutating func translate(
    _ demand: TranslationDemand, into languages: [String], by authorID: String?,
    into actions: inout JudgeActions
  ) {
    let id = ask(
      for: .translations(of: demand.message.text, into: languages), at: .demanded(demand),
      by: authorID, into: &actions)
    self.languages[id] = nil
  }

  /// Cancels the translations of a message's former text.
  ///
  /// - Returns: The languages of the cancelled translations.
  mutating func giveUpTranslations(ofMessage id: Int64) -> [String] {
    var given: [String] = []
    for (enrichment, wanted) in languages {
      guard case .published(let message) = places[enrichment], message.id == id else { continue }
      forget([enrichment])
      given += wanted
    }
    return given.sorted()
  }

  /// Stores the new state of a message that is kept nowhere else, so that the next addition joins it.
  mutating func replace(_ message: Message) {
    for (id, place) in places {
      guard case .published(let known) = place, known.id == message.id else { continue }
      places[id] = .published(message)
    }
  }

  /// Removes and returns the demands that calls wait for.
  mutating func takeDemands() -> [TranslationDemand] {
    var demands: [TranslationDemand] = []
    for (id, place) in places {
      guard case .demanded(let demand) = place else { continue }
      forget([id])
      demands.append(demand)
    }
    return demands
  }

  // MARK: Before publishing

  /// Requests the additions of a message that has not been published.
  mutating func ask(
    for wishes: [EnrichmentRequest.Subject], by authorID: String?, into actions: inout JudgeActions
  ) -> [EnrichmentID] {
    var ids: [EnrichmentID] = []
    for wish in wishes { ids.append(ask(for: wish, at: .ahead(nil), by: authorID, into: &actions)) }
    return ids
  }

  /// Stores a part of an addition, in case its message does not wait for the rest.
  mutating func progress(_ id: EnrichmentID, with part: Enrichment) {
    if case .ahead = places[id] { places[id] = .ahead(part) }
  }

  /// The parts received of additions that are still in progress.
  func parts(_ ids: [EnrichmentID]) -> [Enrichment] {
    ids.compactMap { if case .ahead(let part) = places[$0] { part } else { nil } }
  }

  /// Removes and returns the additions that have arrived.
  ///
  /// - Parameter ids: The enrichments of a message; those that have not arrived stay.
  mutating func takeArrived(_ ids: inout [EnrichmentID]) -> [Enrichment] {
    var found: [Enrichment] = []
    ids.removeAll { id in
      guard case .arrived(let enrichment) = places[id] else { return false }
      forget([id])
      if let enrichment { found.append(enrichment) }
      return true
    }
    return found
  }

  /// Records that the message of enrichments was published without them.
  mutating func attach(_ ids: [EnrichmentID], to message: Message) {
    for id in ids where places[id] != nil { places[id] = .published(message) }
  }

  /// Cancels the enrichments of a message that is not published.
  mutating func forget(_ ids: [EnrichmentID]) {
    for id in ids {
      places[id] = nil
      languages[id] = nil
    }
  }

  // MARK: The end

  /// Ends an enrichment; returns `nil` if it was cancelled.
  mutating func end(_ id: EnrichmentID, with enrichment: Enrichment?) -> Arrival? {
    switch places[id] {
    case .ahead:
      places[id] = .arrived(enrichment)
      return .early
    case .published(let message):
      forget([id])
      return .late(message)
    case .demanded(let demand):
      forget([id])
      return .demanded(demand)
    case .arrived, nil: return nil
    }
  }

  private mutating func ask(
    for subject: EnrichmentRequest.Subject, at place: Place, by authorID: String?,
    into actions: inout JudgeActions
  ) -> EnrichmentID {
    lastNumber += 1
    let id = EnrichmentID(number: lastNumber)
    places[id] = place
    if case .translations(_, let wanted) = subject { languages[id] = wanted }
    actions.append(.enrich(EnrichmentRequest(id: id, subject: subject, authorID: authorID)))
    return id
  }
}
