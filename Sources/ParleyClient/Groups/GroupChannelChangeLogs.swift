internal import ParleyProtocol

/// A part of the changes of the user's groups, the oldest first.
public struct GroupChannelChangeLogs: Sendable {
  /// The groups that have changed, in their present state.
  public let updatedChannels: [GroupChannel]
  /// The groups that the user is no longer in.
  public let deletedChannelURLs: [String]
  /// Whether there are more changes, for another call with ``token``.
  public let hasMore: Bool
  /// Continues the list, now or in a later session.
  public let token: String
}

/// The groups that have changed while the client was away.
///
/// The client reads the groups that it has by itself. These calls are for applications that keep a list
/// of groups on the device: they store ``groupChangesToken`` or the last token, and list from there.
/// They share a limit with ``unreadTotals(customTypes:)``.
extension ParleyClient {
  /// A token for all changes since the client began to receive the events of groups; `nil` before.
  public var groupChangesToken: String? { core.groupChangesToken }

  /// Lists the groups that have changed since a token.
  ///
  /// - Throws: ``ParleyError/refused(code:message:details:)`` with the code 400109 for a token of another
  ///   user or one that is older than 30 days: then list all groups.
  public func myGroupChannelChangeLogs(
    token: String
  ) async throws(ParleyError) -> GroupChannelChangeLogs {
    try await core.changes(since: .token(token))
  }

  /// Lists the groups that have changed since a time.
  ///
  /// - Parameter timestamp: Unix milliseconds, in the last 30 days.
  public func myGroupChannelChangeLogs(
    timestamp: Int64
  ) async throws(ParleyError) -> GroupChannelChangeLogs {
    try await core.changes(since: .time(timestamp))
  }

  /// Lists the groups that have changed since a token; see ``myGroupChannelChangeLogs(token:)``.
  public func getMyGroupChannelChangeLogs(
    byToken token: String,
    completionHandler: @escaping @Sendable (GroupChannelChangeLogs?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [core] () async throws(ParleyError) in
      try await core.changes(since: .token(token))
    }
  }

  /// Lists the groups that have changed since a time; see ``myGroupChannelChangeLogs(timestamp:)``.
  public func getMyGroupChannelChangeLogs(
    byTimestamp timestamp: Int64,
    completionHandler: @escaping @Sendable (GroupChannelChangeLogs?, ParleyError?) -> Void
  ) {
    core.start(handler: completionHandler) { [core] () async throws(ParleyError) in
      try await core.changes(since: .time(timestamp))
    }
  }
}

extension ClientCore {
  fileprivate func changes(
    since start: ChangeList.Start
  ) async throws(ParleyError) -> GroupChannelChangeLogs {
    let coverage = groupCoverage
    return try await perform(
      groupCalls.changes(since: start).map { [self] in changes(in: $0, since: coverage) })
  }

  /// - Parameter coverage: See ``listed(_:since:)``.
  func changes(in answer: GroupChangesAnswer, since coverage: Int) -> GroupChannelChangeLogs {
    GroupChannelChangeLogs(
      updatedChannels: listed(answer.updated, since: coverage),
      deletedChannelURLs: answer.departed, hasMore: answer.hasMore, token: answer.token)
  }
}

/// The answer to `group.changes`.
struct GroupChangesAnswer: Sendable {
  let updated: [ChannelProperties]
  let departed: [String]
  let hasMore: Bool
  let token: String
}

extension GroupCalls {
  func changes(since start: ChangeList.Start) -> Call<GroupChangesAnswer> {
    Call(
      "group.changes", .safe,
      params: start.write,
      reading: { [reader] (node: JSONNode) throws(ParleyError) in
        GroupChangesAnswer(
          updated: try AnswerReader.list("updated", of: node) {
            (channel: JSONNode) throws(ParleyError) in
            try ChannelProperties(json: channel, reader).withoutMembers
          },
          departed: try AnswerReader.texts("deleted", of: node),
          hasMore: try AnswerReader.flag("has_more", of: node),
          token: try AnswerReader.text("token", of: node))
      })
  }
}
