import LinkPreview
import FloodControl
import ParleyProtocol

/// An accepted message that has no place in the channel's count yet.
///
/// A reference, since it is large.
final class PendingSend: Sendable {
  /// The path of a message to the log.
  enum Course: Sendable {
    /// Directly; see ``MessageOrder/arrival``.
    case direct(arrival: Int64)
    /// After waiting for additions.
    case delayed
    /// As an import of an old message.
    case imported
  }

  /// The message without its mentioned users; encoded if nothing will be added before its publication.
  let accepted: EventMessage
  /// The known preview of the message's link when it was accepted.
  let preview: LinkKnowledge
  /// The connection that receives the message as the answer.
  let author: SessionAddress?
  let call: CallID
  /// Its place in the flood window; `nil` if it took none.
  let place: FloodPlace?
  let course: Course
  /// The additions that had not arrived when the message was submitted.
  let wishes: [EnrichmentID]
  /// See ``MessageDraft/isSilent``.
  let isSilent: Bool
  private let marksAsRead: Bool
  /// See ``UnsequencedMessage/blockerID``.
  let blockerID: String?

  init(
    _ accepted: EventMessage, _ preview: LinkKnowledge, of draft: MessageDraft,
    author: SessionAddress?, blockerID: String?, _ call: CallID, _ place: FloodPlace?,
    _ course: Course, wishes: [EnrichmentID]
  ) {
    self.blockerID = blockerID
    isSilent = draft.isSilent
    marksAsRead = draft.marksAsRead
    self.wishes = wishes
    self.accepted = accepted
    self.preview = preview
    self.author = author
    self.call = call
    self.place = place
    self.course = course
  }

  var messageID: Int64 { accepted.message.id }

  /// `nil` for a send without a request id.
  var key: RequestKey? { RequestKey(accepted.message.user, accepted.message.requestID) }

  /// Whether the message moves the position of its author in a group.
  var movesPosition: Bool { marksAsRead && !isImported }

  /// The author as the budget of mentions knows it.
  var mentionAuthor: MentionAuthor {
    let userID = accepted.message.user?.id
    guard author != nil, let userID else { return .platform(onBehalfOf: userID) }
    return .user(userID)
  }

  var isImported: Bool { if case .imported = course { true } else { false } }
}

/// A send that is being looked up among earlier sends.
enum SoughtSend: Sendable {
  case refused(RefusedSend)
  /// One that the app's back end is asked about, unless it was carried out before.
  case asked(WaitingSends<AcceptedSend>.ID)
}

/// A refused send that is being looked up among earlier sends.
struct RefusedSend: Sendable {
  let error: ServiceError
  let call: CallID
}

/// A published message, with the known preview of its link, and its pending additions.
///
/// A reference: most messages have neither, and return no value.
final class PublishedMessage: Sendable {
  let message: Message
  let preview: LinkKnowledge
  let wishes: [EnrichmentID]
  /// The languages of the former text's translations.
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

/// An accepted send without an id and a time.
struct AcceptedSend: Sendable {
  var draft: MessageDraft
  let order: MessageOrder
  let principal: Principal
  let call: CallID
  /// `nil` for a send without a request id.
  let key: RequestKey?
  /// Its place in the flood window; `nil` if it took none.
  var place: FloodPlace?
  /// The requested additions.
  var wishes: [EnrichmentID] = []
  /// The additions that were known at once.
  var known: [Enrichment] = []
  /// The steady time in milliseconds since which it has waited; `nil` if it has not waited.
  var waitsSince: Int64?
  /// Whether the budget of waiting sends includes it.
  var isBudgeted = false

  /// An estimate of its memory.
  var byteCount: Int { draft.byteCount + 1_024 }
}

/// A call that sends several messages, one of which the flood window has refused: the others are
/// not judged, since the window has no room for them either.
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
