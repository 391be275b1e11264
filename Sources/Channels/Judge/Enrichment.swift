package import LinkPreview
package import ParleyProtocol

/// Names an enrichment under way.
package struct EnrichmentID: Hashable, Sendable {
  package let number: UInt64
}

/// The question for something that is to be added to a message: after it was published, or before if it
/// comes in time.
package struct EnrichmentRequest: Sendable {
  package enum Subject: Sendable, Hashable {
    /// The preview of the link in the text.
    case preview(Link)
    /// Small pictures of an uploaded file.
    case thumbnails(MessageFile, [ThumbnailSize])
  }

  package let id: EnrichmentID
  package let subject: Subject
  /// The author of the text; `nil` for the Platform API.
  package let authorID: String?
}

/// An addition to a message that came from elsewhere.
package enum Enrichment: Sendable, Hashable {
  case preview(OpenGraphTag)
  case thumbnails([MessageThumbnail])

  /// The message with the addition; `nil` when it has it already, or has nothing to add it to.
  func applied(to message: Message) -> Message? {
    var message = message
    switch self {
    case .preview(let tag):
      guard message.openGraphTag != tag else { return nil }
      message.openGraphTag = tag
    case .thumbnails(let thumbnails):
      guard let file = message.file, file.thumbnails != thumbnails else { return nil }
      message.file?.thumbnails = thumbnails
    }
    return message
  }

  /// Whether it belongs to a message whose text was another when it was asked for.
  var outlivesText: Bool {
    switch self {
    case .preview: false
    case .thumbnails: true
    }
  }
}

extension JudgeSources {
  /// Looks the first link of a message's text up.
  ///
  /// The text beside a file describes it; its link is the file's own.
  func preview(ofText text: String, in type: MessageType, by authorID: String?) -> LinkKnowledge {
    guard type != .file, let lookUpPreview, let link = LinkFinder.firstLink(in: text) else {
      return .noLink
    }
    return lookUpPreview(link, authorID)
  }
}

extension MessageDraft {
  /// The additions that the sender wishes for, and that are not known.
  var wishes: [EnrichmentRequest.Subject] {
    guard let sizes = thumbnailSizes, !sizes.isEmpty, let file, !file.id.isEmpty else {
      return []
    }
    return [.thumbnails(file, sizes)]
  }
}

/// The enrichments under way, with the messages that they are for.
struct PendingEnrichments: Sendable {
  /// The place of the message.
  private enum Place: Sendable {
    /// It has not been published.
    case ahead
    /// The same, and the addition has come, if there is one.
    case arrived(Enrichment?)
    case published(Message)
  }

  /// The meaning of an addition that has come.
  enum Arrival {
    /// For a message that has not been published; it is kept.
    case early
    case late(Message)
  }

  private var places: [EnrichmentID: Place] = [:]
  private var lastNumber: UInt64 = 0

  var isEmpty: Bool { places.isEmpty }

  // MARK: After publishing

  /// Counts what was known of a published text's link, and asks for what was not.
  mutating func begin(
    _ preview: LinkKnowledge, of message: Message, by authorID: String?,
    into actions: inout JudgeActions
  ) {
    switch preview {
    case .noLink: break
    case .none: actions.count { $0.previewsNone += 1 }
    case .found: actions.count { $0.previewsAttached += 1 }
    case .unknown(let link):
      _ = ask(for: .preview(link), at: .published(message), by: authorID, into: &actions)
    }
  }

  // MARK: Before publishing

  /// Asks for what a message is to have that has not been published.
  mutating func ask(
    for wishes: [EnrichmentRequest.Subject], by authorID: String?, into actions: inout JudgeActions
  ) -> [EnrichmentID] {
    var ids: [EnrichmentID] = []
    for wish in wishes { ids.append(ask(for: wish, at: .ahead, by: authorID, into: &actions)) }
    return ids
  }

  /// Takes those out that have come.
  ///
  /// - Parameter ids: Those of a message; the ones that have not come stay.
  mutating func takeArrived(_ ids: inout [EnrichmentID]) -> [Enrichment] {
    var found: [Enrichment] = []
    ids.removeAll { id in
      guard case .arrived(let enrichment) = places[id] else { return false }
      places[id] = nil
      if let enrichment { found.append(enrichment) }
      return true
    }
    return found
  }

  /// Takes note that the message of enrichments was published without them.
  mutating func attach(_ ids: [EnrichmentID], to message: Message) {
    for id in ids where places[id] != nil { places[id] = .published(message) }
  }

  /// Gives up the enrichments of a message that is not published.
  mutating func forget(_ ids: [EnrichmentID]) {
    for id in ids { places[id] = nil }
  }

  // MARK: The end

  /// Takes the end of an enrichment; `nil` when it was given up.
  mutating func end(_ id: EnrichmentID, with enrichment: Enrichment?) -> Arrival? {
    switch places[id] {
    case .ahead:
      places[id] = .arrived(enrichment)
      return .early
    case .published(let message):
      places[id] = nil
      return .late(message)
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
    actions.append(.enrich(EnrichmentRequest(id: id, subject: subject, authorID: authorID)))
    return id
  }
}
