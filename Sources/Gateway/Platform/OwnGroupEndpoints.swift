import Channels
import ParleyProtocol
import Store

/// Users' own parts in a group, below `/v3/group_channels/{url}`.
enum OwnGroupEndpoints {
  /// `PUT …/hide`: hides the group from the list of a member, or of all.
  static func hide(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let change = OwnChange.hide(
      clearing: try body.boolean("hide_previous_messages") ?? false,
      isArchived: try body.boolean("allow_auto_unhide") == false)
    try call.change(change, all: "should_hide_all", in: body, completion)
  }

  /// `DELETE …/hide`: shows the group in the list of a member again, or of all.
  static func unhide(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.change(.unhide, all: "should_unhide_all", in: call.query, completion)
  }

  /// `PUT …/reset_user_history`: begins the history of a member again, or those of all.
  static func resetHistory(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    if try body.boolean("reset_all") == true {
      let now = call.services.clock.now
      return try call.changeAll(.resetHistory, completion) {
        $0.object { $0.member("ts_message_offset", now) }
      }
    }
    let command = GroupCommand.changeOwn(.resetHistory)
    try call.perform(command, onBehalfOf: try body.userID(), completion) { _, result in
      completion(result.flatMap(\.own)) { own, writer in
        writer.object { $0.member("ts_message_offset", own.visibleFrom) }
      }
    }
  }

  /// `PUT …/messages/mark_as_read`: marks the messages up to a time as read, or all.
  static func markRead(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let body = try call.body
    let time = try body.integer("timestamp", in: Limits.timestamps)
    let change = time.map(OwnChange.markReadUntil) ?? .markRead(upTo: nil)
    try call.perform(.changeOwn(change), onBehalfOf: try body.userID(), completion) {
      completion.empty($1)
    }
  }

  /// `GET …/messages/unread_count`: the numbers of messages that members have not read.
  static func unreadCounts(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let ids = try call.query.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    guard !ids.isEmpty else { throw .missing("user_ids") }
    try call.inChannel(completion) { channel in
      channel.countUnread(of: ids[...], [:]) { completion($0) { $0.encodeCounts(into: &$1) } }
    }
  }
}

/// Numbers and marks over all groups of a user, below `/v3/users/{id}`.
enum UserGroupEndpoints {
  /// `PUT …/mark_as_read_all`: marks the named groups as read, or all.
  static func markRead(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let userID = try call.userID
    let urls = try call.body.channelURLs("channel_urls")
    let (services, path, caller) = (call.services, call.shard.returnPath, call.caller)
    services.store.perform(AccountLookup(userID)) { result in
      path.resume { shard in
        switch result.serviceResult.existing(userID) {
        case .success(let account):
          guard let urls else {
            return shard.markAllRead(by: account.user, for: caller) { completion.empty($1) }
          }
          shard.markRead(urls, by: account.user) { error in
            completion.empty(error.map(Result<Void, ServiceError>.failure) ?? .success(()))
          }
        case .failure(let error): completion.fail(error)
        }
      }
    }
  }

  /// `GET …/unread_message_count`.
  static func messageCount(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.countUnread(completion) { numbers, writer in
      writer.object { $0.member("unread_count", numbers.unreadMessageCount) }
    }
  }

  /// `GET …/unread_channel_count`.
  static func channelCount(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    try call.countUnread(completion) { numbers, writer in
      writer.object { $0.member("unread_count", numbers.unreadChannelCount) }
    }
  }

  private enum Item: String, CaseIterable {
    case messages = "group_channel_unread_message_count"
    case mentions = "group_channel_unread_mention_count"
    case invitations = "group_channel_invitation_count"
  }

  /// `GET …/unread_item_count`.
  static func itemCounts(_ call: PlatformCall, _ completion: Completion) throws(ServiceError) {
    let keys = try call.query.texts("item_keys", limit: 64) ?? []
    var items: [Item] = []
    for key in keys {
      guard let item = Item(rawValue: key) else {
        let names = Item.allCases.map(\.rawValue).joined(separator: ", ")
        throw .invalid("item_keys", key, expected: names)
      }
      items.append(item)
    }
    guard !items.isEmpty else { throw .missing("item_keys") }
    try call.countUnread(completion) { [items] numbers, writer in
      writer.object {
        for item in items {
          switch item {
          case .messages:
            $0.member("group_channel_unread_message_count", numbers.unreadMessageCount)
          case .mentions:
            $0.member("group_channel_unread_mention_count", numbers.unreadMentionCount)
          case .invitations:
            $0.member("group_channel_invitation_count", numbers.invitationCount)
          }
        }
      }
    }
  }
}

extension PlatformCall {
  /// Changes the own part of the member that a request names, or of all members.
  ///
  /// - Parameter all: The name of the parameter that requests the change for all.
  fileprivate func change(
    _ change: OwnChange, all: String, in parameters: Fields, _ completion: Completion
  ) throws(ServiceError) {
    if try parameters.boolean(all) == true {
      return try changeAll(change, completion) { $0.object { _ in } }
    }
    let userID = try parameters.userID()
    try perform(.changeOwn(change), onBehalfOf: userID, completion) { completion.empty($1) }
  }

  fileprivate func changeAll(
    _ change: OwnChange, _ completion: Completion,
    _ encode: @escaping @Sendable (inout JSONWriter) -> Void
  ) throws(ServiceError) {
    try inChannel(completion) { channel in
      channel.change(change, of: channel.joinedIDs[...]) { result in
        completion(result) { encode(&$1) }
      }
    }
  }

  /// Reads the numbers of the user in the path, who must exist.
  fileprivate func countUnread(
    _ completion: Completion,
    _ encode: @escaping @Sendable (GroupNumbers, inout JSONWriter) -> Void
  ) throws(ServiceError) {
    let userID = try userID
    let totals = UnreadTotals(of: userID, try GroupTotals(query))
    let (services, caller) = (services, caller)
    services.store.perform(AccountLookup(userID)) { result in
      do throws(ServiceError) {
        _ = try result.serviceResult.existing(userID).get()
      } catch {
        return completion.fail(error)
      }
      services.store.perform(totals, for: caller.principal) { result, cost in
        caller.pay(cost, to: services)
        completion(result.serviceResult, encode)
      }
    }
  }
}

extension ChannelHost {
  /// Changes the own parts of members one after the other.
  ///
  /// Those who have left meanwhile are skipped, and those whose history does not have the message of the change.
  func change(
    _ change: OwnChange, of userIDs: ArraySlice<String>,
    then completion: @escaping @Sendable (Result<Void, ServiceError>) -> Void
  ) {
    guard let userID = userIDs.first else { return completion(.success(())) }
    perform(.group(.changeOwn(change)), onBehalfOf: User(id: userID)) { channel, result in
      if case .failure(let error) = result, error.code != .notInChannel {
        // The message may be before the history of the member.
        guard case .markUnread = change, error.code == .notFound, !channel.judge.isDeleted else {
          return completion(.failure(error))
        }
      }
      channel.change(change, of: userIDs.dropFirst(), then: completion)
    }
  }

  /// Counts what members have not read, one after the other; users who have not joined have 0.
  fileprivate func countUnread(
    of userIDs: ArraySlice<String>, _ known: [String: Int64],
    then completion: @escaping @Sendable (Result<[String: Int64], ServiceError>) -> Void
  ) {
    guard let userID = userIDs.first else { return completion(.success(known)) }
    perform(.group(.view(memberLimit: 0)), onBehalfOf: User(id: userID)) { channel, result in
      switch result {
      case .success(.group(let group)):
        var known = known
        known[userID] = group.own?.unreadCount ?? 0
        channel.countUnread(of: userIDs.dropFirst(), known, then: completion)
      case .success: completion(.failure(.internalError))
      case .failure(let error): completion(.failure(error))
      }
    }
  }
}

extension [String: Int64] {
  fileprivate func encodeCounts(into writer: inout JSONWriter) {
    writer.object {
      $0.name("unread")
      encode(into: &$0)
    }
  }
}

extension JudgeAnswer {
  /// The caller's own part in a group, as the answer to a change of it.
  var own: Result<OwnMembership, ServiceError> {
    switch self {
    case .own(let own), .historyReset(let own): .success(own)
    case .done, .channel, .group, .receipts, .sent, .message, .changed, .imposed, .lifted:
      .failure(.internalError)
    }
  }
}
