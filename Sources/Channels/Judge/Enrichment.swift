package import LinkPreview
package import ParleyProtocol

/// Names an enrichment under way.
package struct EnrichmentID: Hashable, Sendable {
  package let number: UInt64
}

/// The question whether something is to be added to a message after it was published.
package struct EnrichmentRequest: Sendable {
  package enum Subject: Sendable {
    /// The preview of the link in the text.
    case preview(Link)
  }

  package let id: EnrichmentID
  package let subject: Subject
  /// The author of the text; `nil` for the Platform API.
  package let authorID: String?
}

/// An addition to a message that came after it was published.
package enum Enrichment: Sendable, Hashable {
  case preview(OpenGraphTag)

  /// The message with the addition; `nil` when it has it already.
  func applied(to message: Message) -> Message? {
    var message = message
    switch self {
    case .preview(let tag):
      guard message.openGraphTag != tag else { return nil }
      message.openGraphTag = tag
    }
    return message
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

/// The enrichments under way, with the texts that they are for.
struct PendingEnrichments: Sendable {
  private var messages: [EnrichmentID: Message] = [:]
  private var lastNumber: UInt64 = 0

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
      lastNumber += 1
      let id = EnrichmentID(number: lastNumber)
      messages[id] = message
      actions.append(
        .enrich(EnrichmentRequest(id: id, subject: .preview(link), authorID: authorID)))
    }
  }

  /// Ends an enrichment.
  ///
  /// - Returns: The message for which it was asked.
  mutating func end(_ id: EnrichmentID) -> Message? { messages.removeValue(forKey: id) }

  var isEmpty: Bool { messages.isEmpty }
}
