/// A message to be sent, with its uploaded file: `message.send`.
///
/// The contract requires checks of the sender (a repeated `req_id`, bans, presence, freezing, muting)
/// before those of the message, so an error in the message is kept until then.
///
/// A reference type, because the order is large and is passed on several times.
package final class MessageOrder: Sendable {
  /// The message, or the error in its values, which is reported after the checks of the sender.
  package let draft: Result<MessageDraft, ServiceError>
  /// The sender's own identifier of the send, by which a repetition is recognised.
  package let requestID: String?
  /// A file that is durable on disk; the stored message refers to it.
  package let upload: FileRecord?
  /// The time of arrival on a clock of the host, which is returned when the message is durable.
  package let arrival: Int64
  /// The refusal of a sender who is over the limit of all channels together, which applies unless the
  /// message is a repetition, or the channel exempts the sender from flood protection.
  package let userFlood: ServiceError?

  package init(
    _ draft: Result<MessageDraft, ServiceError>, requestID: String?, upload: FileRecord? = nil,
    arrival: Int64 = 0, userFlood: ServiceError? = nil
  ) {
    self.draft = draft
    self.requestID = requestID
    self.upload = upload
    self.arrival = arrival
    self.userFlood = userFlood
  }

  /// The order with the refusal of a sender who is over the limit of all channels together.
  package func refused(_ refusal: ServiceError) -> MessageOrder {
    MessageOrder(
      draft, requestID: requestID, upload: upload, arrival: arrival, userFlood: refusal)
  }

  /// Reads `message.send`, except for its channel.
  package convenience init(_ parameters: Fields) {
    self.init(parameters) { fields throws(ServiceError) in try MessageDraft(fields) }
  }

  /// Reads one of the files of `message.send_files`.
  convenience init(fileOf parameters: Fields) {
    self.init(parameters) { fields throws(ServiceError) in try MessageDraft(file: fields) }
  }

  private convenience init(
    _ parameters: Fields, _ read: (Fields) throws(ServiceError) -> MessageDraft
  ) {
    var requestID: String?
    let draft: Result<MessageDraft, ServiceError>
    do throws(ServiceError) {
      requestID = try parameters.requestID()
      draft = .success(try read(parameters))
    } catch {
      draft = .failure(error)
    }
    self.init(draft, requestID: requestID, arrival: parameters.arrival)
  }

  /// Whether the file requires a key.
  package var requiresAuthorization: Bool {
    guard case .success(let draft) = draft else { return false }
    return draft.file?.requiresAuthorization ?? false
  }

  /// The file that was uploaded earlier, if the message has one.
  package var fileID: String? {
    guard case .success(let draft) = draft, let id = draft.file?.id, !id.isEmpty else { return nil }
    return id
  }
}
