import LinkPreview
import FloodControl
import ParleyProtocol

/// A message that was accepted and has no place in the channel's count yet.
///
/// A reference, for messages are large.
final class PendingSend: Sendable {
  /// The way that a message took to the log.
  enum Course: Sendable {
    /// At once; see ``MessageOrder/arrival``.
    case direct(arrival: Int64)
    /// It has waited for additions.
    case delayed
    /// It is of the past.
    case imported
  }

  let message: Message
  /// The knowledge about its link's preview when it was accepted.
  let preview: LinkKnowledge
  /// The connection that learns of it by the answer.
  let author: SessionAddress?
  let call: CallID
  /// Its place in the flood window; `nil` when it took none.
  let place: FloodPlace?
  let course: Course
  /// The additions that had not come when it was submitted.
  let wishes: [EnrichmentID]

  init(
    _ message: consuming Message, _ preview: LinkKnowledge, author: SessionAddress?, _ call: CallID,
    _ place: FloodPlace?, _ course: Course, wishes: [EnrichmentID]
  ) {
    self.wishes = wishes
    self.message = message
    self.preview = preview
    self.author = author
    self.call = call
    self.place = place
    self.course = course
  }

  /// `nil` for a send without a name.
  var key: RequestKey? { RequestKey(message.user, message.requestID) }

  var isImported: Bool { if case .imported = course { true } else { false } }
}

/// A send that was refused and is looked up among the earlier ones.
struct RefusedSend: Sendable {
  let error: ServiceError
  let call: CallID
}

/// A message that was published, with the knowledge about its preview, and its additions that are still to
/// come.
///
/// A reference: most messages have neither, and return none.
final class PublishedMessage: Sendable {
  let message: Message
  let preview: LinkKnowledge
  let wishes: [EnrichmentID]
  /// The languages that its former text was translated into.
  let languages: [String]

  init(
    _ message: Message, _ preview: LinkKnowledge, wishes: [EnrichmentID] = [],
    languages: [String] = []
  ) {
    self.message = message
    self.preview = preview
    self.wishes = wishes
    self.languages = languages
  }
}

/// A send that was accepted, and has neither an id nor a time.
struct AcceptedSend: Sendable {
  let draft: MessageDraft
  let order: MessageOrder
  let principal: Principal
  let call: CallID
  /// `nil` for a send without a name.
  let key: RequestKey?
  /// Its place in the flood window; `nil` when it took none.
  var place: FloodPlace?
  /// The additions that were asked for.
  var wishes: [EnrichmentID] = []
  /// The additions that were known at once.
  var known: [Enrichment] = []
  /// Steady milliseconds since which it has waited; `nil` if it has not.
  var waitsSince: Int64?

  /// An estimate of its memory.
  var byteCount: Int { draft.byteCount + 1_024 }
}

/// A call that sends several messages, of which the flood window has refused one: the others are not
/// judged, for the window has no room for them either.
struct FloodedCall: Sendable {
  private let session: SessionAddress
  private let unit: Int
  let error: ServiceError

  /// - Returns: `nil` for another error, and for a call that sends one message.
  init?(_ call: CallID, _ error: ServiceError) {
    guard error.code == .flood, case .session(let address) = call, address.ticket.isPart else {
      return nil
    }
    (session, unit) = (address.session, address.ticket.unit)
    self.error = error
  }

  func contains(_ call: CallID) -> Bool {
    guard case .session(let address) = call else { return false }
    return address.ticket.isPart && address.ticket.unit == unit && address.session == session
  }
}
