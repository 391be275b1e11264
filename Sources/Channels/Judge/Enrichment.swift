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
