import LinkPreview
import ParleyProtocol

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
