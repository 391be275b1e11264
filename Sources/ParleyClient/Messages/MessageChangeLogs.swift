internal import ParleyProtocol

/// A part of the changes of a channel's messages, the oldest first.
public struct MessageChangeLogs: Sendable {
  /// The messages that have changed since they were sent, in their present state.
  public let updatedMessages: [any BaseMessage]
  /// The ids of the messages that were deleted.
  public let deletedMessageIDs: [Int64]
  /// Whether there are more changes, for another call with ``token``.
  public let hasMore: Bool
  /// Continues the list, now or in a later session.
  public let token: String
}

/// The messages of a channel that have changed while the client was away.
///
/// These calls are for applications that keep messages on the device: they store the last token, and list
/// from there when they are in the channel again. New messages are not in it: fetch them with
/// ``messages(around:params:)``.
extension BaseChannel {
  /// Lists the messages that have changed since a token.
  ///
  /// - Throws: ``ParleyError/refused(code:message:details:)`` with the code 400109 for a token of another
  ///   user or channel, or one that is older than 30 days: then fetch the messages.
  public func messageChangeLogs(token: String) async throws(ParleyError) -> MessageChangeLogs {
    try await core.perform(core.messageCalls.changes(url, since: .token(token)))
  }

  /// Lists the messages that have changed since a time.
  ///
  /// - Parameter timestamp: Unix milliseconds, in the last 30 days.
  public func messageChangeLogs(timestamp: Int64) async throws(ParleyError) -> MessageChangeLogs {
    try await core.perform(core.messageCalls.changes(url, since: .time(timestamp)))
  }

  /// Lists the messages that have changed since a token; see ``messageChangeLogs(token:)``.
  public func getMessageChangeLogs(
    byToken token: String,
    completionHandler: @escaping @Sendable (MessageChangeLogs?, ParleyError?) -> Void
  ) {
    core.start(core.messageCalls.changes(url, since: .token(token)), handler: completionHandler)
  }

  /// Lists the messages that have changed since a time; see ``messageChangeLogs(timestamp:)``.
  public func getMessageChangeLogs(
    byTimestamp timestamp: Int64,
    completionHandler: @escaping @Sendable (MessageChangeLogs?, ParleyError?) -> Void
  ) {
    core.start(core.messageCalls.changes(url, since: .time(timestamp)), handler: completionHandler)
  }
}

extension MessageCalls {
  func changes(_ url: String, since start: ChangeList.Start) -> Call<MessageChangeLogs> {
    Call(
      "message.changes", .safe,
      params: {
        $0.member("channel_url", url)
        start.write(into: &$0)
      },
      reading: { [reader] (node: JSONNode) throws(ParleyError) in
        MessageChangeLogs(
          updatedMessages: try AnswerReader.list("updated", of: node, reader.message(_:)),
          deletedMessageIDs: try AnswerReader.list("deleted_ids", of: node) {
            (id: JSONNode) throws(ParleyError) in
            guard let id = id.integer else {
              throw .malformedAnswer("'deleted_ids' has an element that is no number")
            }
            return id
          },
          hasMore: try AnswerReader.flag("has_more", of: node),
          token: try AnswerReader.text("token", of: node))
      })
  }
}

extension ChangeList.Start {
  /// Writes the parameter that says where a list of changes begins.
  func write(into writer: inout JSONWriter) {
    switch self {
    case .token(let token): writer.member("token", token)
    case .time(let time): writer.member("since", time)
    }
  }
}
