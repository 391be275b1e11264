/// `message.send`.
///
/// The contract judges the sender (a repeated `req_id`, bans, presence, freezing, muting) before
/// the message, so only a channel that cannot be named is refused while reading.
package struct MessageSend: Sendable {
  package var channelURL: String
  /// The client's own name of the send, by which repetitions are recognised.
  package var requestID: String?
  /// The message, or the reason why it cannot be sent, which is answered after the sender has been
  /// judged.
  package var draft: Result<MessageDraft, ServiceError>

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    do throws(ServiceError) {
      requestID = try parameters.requestID()
      draft = .success(try MessageDraft(parameters))
    } catch {
      draft = .failure(error)
    }
  }
}

extension Fields {
  /// `req_id`; an empty one counts as none.
  fileprivate func requestID() throws(ServiceError) -> String? {
    let id = try text("req_id", limit: Limits.requestIDLength)
    return id?.isEmpty == true ? nil : id
  }
}
