/// `group.create`.
package struct GroupCreate: Sendable, Hashable {
  /// The URL, which the server generates when it is absent.
  package var channelURL: String?
  package var fields: ChannelFields
  /// An uploaded file, whose address is used as the cover.
  package var coverFileID: String?
  package var isEphemeral: Bool
  package var isDistinct: Bool
  package var isSuper: Bool
  /// The members to invite, besides the caller.
  package var userIDs: [String]
  /// The number of members in the answer.
  package var memberLimit: Int

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.optionalChannelURL()
    fields = try ChannelFields(group: parameters)
    coverFileID = try parameters.fileID("cover_file_id", insteadOf: "cover_url")
    isEphemeral = try parameters.boolean("is_ephemeral") ?? false
    isDistinct = try parameters.boolean("is_distinct") ?? false
    userIDs = try parameters.userIDs("user_ids", limit: Limits.memberListCount) ?? []
    memberLimit = try parameters.memberLimit()
    isSuper = try parameters.boolean("is_super") ?? false
    if isDistinct, isSuper {
      throw .notCombinable("is_distinct", "a super group is open to more than its first members")
    }
    if isDistinct, fields.isPublic == true {
      throw .notCombinable("is_distinct", "a public group is open to more than its first members")
    }
  }
}

/// A group that the Platform API creates.
package struct GroupSubmission: Sendable, Hashable {
  /// The group, with all members but the inviter.
  package var group: GroupCreate
  /// The user who creates the group and is its first member, if there is one.
  package var inviterID: String?
  /// Whether unknown members are refused; they are left out otherwise.
  package var isStrict: Bool

  package init(_ parameters: Fields) throws(ServiceError) {
    try parameters.refuse(UnsupportedMember.ofGroups)
    group = try GroupCreate(parameters)
    group.userIDs = (try parameters.memberObjects() + group.userIDs).withoutRepetitions()
    inviterID = try parameters.optionalUserID("inviter_id")
    isStrict = try parameters.boolean("strict") ?? false
    guard inviterID != nil || !group.userIDs.isEmpty else { throw .missing("user_ids") }
  }

  /// The users named.
  package var userIDs: [String] { group.userIDs + (inviterID.map { [$0] } ?? []) }

  /// Leaves out unknown members.
  ///
  /// - Throws: 400201 for an unknown inviter, for an unknown member if the submission is strict, and when
  ///   nobody is left.
  package mutating func keep(_ known: [String]) throws(ServiceError) {
    if let inviterID, !known.contains(inviterID) { throw .notFound(.user, inviterID) }
    let missing = group.userIDs.first { !known.contains($0) }
    group.userIDs.removeAll { !known.contains($0) }
    if let missing, isStrict || userIDs.isEmpty { throw .notFound(.user, missing) }
  }
}

/// `group.update`.
package struct GroupUpdate: Sendable, Hashable {
  package var channelURL: String
  package var fields: ChannelFields
  /// An uploaded file, whose address is used as the cover.
  package var coverFileID: String?

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    fields = try ChannelFields(group: parameters)
    coverFileID = try parameters.fileID("cover_file_id", insteadOf: "cover_url")
  }
}

/// `group.mark_read` for several groups, up to their last messages.
package struct GroupsMarkRead: Sendable, Hashable {
  /// At most 100; `nil` for all groups with unread messages.
  package var channelURLs: [String]?

  init(_ parameters: Fields) throws(ServiceError) {
    channelURLs = try parameters.channelURLs("channel_urls")
    guard channelURLs != nil, parameters.value("message_id") != nil else { return }
    throw .notCombinable("message_id", "it is a message of one group, which 'channel_url' names")
  }
}

/// `group.members`: a page of the members of a group, in the order in which they became members.
package struct GroupMembers: Sendable, Hashable {
  package var channelURL: String
  /// `nil` for all members.
  package var state: MemberState?
  /// 1 to 100.
  package var limit: Int
  /// The end of the previous page; `nil` for the first page.
  package var token: String?

  package init(channelURL: String, state: MemberState? = nil, limit: Int, token: String? = nil) {
    self.channelURL = channelURL
    self.state = state
    self.limit = limit
    self.token = token
  }

  package init(_ parameters: Fields) throws(ServiceError) {
    channelURL = try parameters.channelURL()
    state = try parameters.memberState()
    limit = try parameters.pageSize(Limits.defaultMemberPageSize)
    token = try parameters.pageToken()
  }
}

/// A command about a group as a whole or about its members.
package enum GroupCommand: Sendable, Hashable {
  /// - `memberLimit`: The number of members in the answer.
  /// - `created`: Whether `group.create` has just made the group; `nil` for another call.
  case view(memberLimit: Int, created: Bool? = nil)
  case update(ChannelFields)
  case change(MembershipChange)
  /// Changes the caller's own part in the group.
  case changeOwn(OwnChange)
  /// The caller begins or ends typing.
  case typing(Bool)
  /// Reads how far the members have read, and how far their clients have received the group.
  case receipts
  /// A client of the caller has received the messages up to one.
  case markDelivered(upTo: Int64)
  case delete
}

/// A change of a joined member's own part in a group, which the other members do not see.
package enum OwnChange: Sendable, Hashable {
  /// Reads up to and including a message, or up to the last one; the position only rises.
  case markRead(upTo: Int64?)
  /// Reads all messages whose `created_at` is not after a time in Unix milliseconds.
  case markReadUntil(Int64)
  /// Puts the position before a message.
  case markUnread(from: Int64)
  /// - `clearing`: Whether the history begins again.
  /// - `isArchived`: Whether only the member unhides the group, not the next message.
  case hide(clearing: Bool, isArchived: Bool)
  case unhide
  /// Begins the history again.
  case resetHistory
  case prefer(CountPreference)
  /// - `counting`: `nil` leaves that preference as it is.
  case preferPushes(ChannelPushTriggerOption, counting: CountPreference?)
}

/// A change of who belongs to a group.
package enum MembershipChange: Sendable, Hashable {
  case invite([String])
  case accept
  case decline
  case join(accessCode: String)
  case leave
  case remove([String])
  /// Ends memberships as if the users had left; of users who are no members, nothing changes.
  ///
  /// - `userIDs`: `nil` for all members.
  /// - `keepsRoles`: Whether operators who join again are operators again.
  case release(userIDs: [String]?, keepsRoles: Bool)
  /// Removes a user that is being deleted, with its role.
  case forget(userID: String)
}

extension GroupCommand {
  /// The readers by the names of client methods, except for the channel.
  static let readers: [String: ChannelCommand.Reader] = [
    "group.get": .init { p throws(ServiceError) in .group(.view(memberLimit: try p.memberLimit()))
    },
    "group.delete": .init { _ throws(ServiceError) in .group(.delete) },
    "group.invite": .init { p throws(ServiceError) in .group(.change(.invite(try p.memberIDs()))) },
    "group.accept": .init { _ throws(ServiceError) in .group(.change(.accept)) },
    "group.decline": .init { _ throws(ServiceError) in .group(.change(.decline)) },
    "group.join": .init { p throws(ServiceError) in
      let code = try p.text("access_code", limit: Limits.accessCodeLength) ?? ""
      return .group(.change(.join(accessCode: code)))
    },
    "group.hide": .init { p throws(ServiceError) in
      .group(
        .changeOwn(
          .hide(
            clearing: try p.boolean("hide_previous_messages") ?? false,
            isArchived: try p.boolean("allow_auto_unhide") == false)))
    },
    "group.unhide": .init { _ throws(ServiceError) in .group(.changeOwn(.unhide)) },
    "group.reset_history": .init { _ throws(ServiceError) in .group(.changeOwn(.resetHistory)) },
    "group.mark_unread": .init { p throws(ServiceError) in
      .group(.changeOwn(.markUnread(from: try p.messageID())))
    },
    "group.set_preference": .init { p throws(ServiceError) in
      let counting = try p.choice("count_preference", of: CountPreference.self)
      if let pushes = try p.choice("push_trigger_option", of: ChannelPushTriggerOption.self) {
        return .group(.changeOwn(.preferPushes(pushes, counting: counting)))
      }
      guard let counting else { throw .missing("count_preference") }
      return .group(.changeOwn(.prefer(counting)))
    },
    "group.typing": .init { p throws(ServiceError) in
      guard let isTyping = try p.boolean("is_typing") else { throw .missing("is_typing") }
      return .group(.typing(isTyping))
    },
    "group.receipts": .init { _ throws(ServiceError) in .group(.receipts) },
    "group.leave": .init { _ throws(ServiceError) in .group(.change(.leave)) },
    "group.remove": .init { p throws(ServiceError) in .group(.change(.remove(try p.memberIDs()))) },
  ]
}

extension Fields {
  /// `users`: members as objects with their `user_id`.
  fileprivate func memberObjects() throws(ServiceError) -> [String] {
    var ids: [String] = []
    for node in try value("users")?.nodes("users", limit: Limits.memberListCount) ?? [] {
      guard node.kind == .object else { throw .notObjects("users") }
      ids.append(try Fields(node).userID())
    }
    return ids
  }

  /// `user_ids`: 1 to 100 members, without duplicates.
  fileprivate func memberIDs() throws(ServiceError) -> [String] {
    guard let ids = try userIDs("user_ids", limit: Limits.memberListCount) else {
      throw .missing("user_ids")
    }
    guard !ids.isEmpty else {
      throw .invalid("user_ids", "[]", expected: "a list of 1 to \(Limits.memberListCount) users")
    }
    return ids
  }

  /// `members_limit`: the number of members in the answer.
  func memberLimit(unlessGiven standard: Int = Limits.memberListCount) throws(ServiceError) -> Int {
    let range = 0...Int64(Limits.memberListCount)
    return try integer("members_limit", in: range).map(Int.init) ?? standard
  }

  /// `member_state`; `nil` for all.
  func memberState() throws(ServiceError) -> MemberState? {
    guard let text = try string("member_state"), text != "all" else { return nil }
    guard let state = MemberState(rawValue: text) else {
      throw .invalid("member_state", text, expected: "all, joined or invited")
    }
    return state
  }
}
