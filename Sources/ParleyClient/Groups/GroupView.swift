internal import ParleyProtocol

/// The properties that only groups have and that are the same for all users.
struct GroupProperties: Sendable, Hashable {
  /// Joined and invited.
  var memberCount = 0
  var joinedMemberCount = 0
  var isDistinct = false
  var isPublic = false
  var isAccessCodeRequired = false
  /// `nil` for the Platform API and for a deleted user.
  var creator: User?
}

extension GroupProperties {
  init(_ group: Group, isAccessCodeRequired: Bool) {
    self.init(
      memberCount: group.memberCount, joinedMemberCount: group.joinedCount,
      isDistinct: group.isDistinct, isPublic: group.isPublic,
      isAccessCodeRequired: isAccessCodeRequired, creator: group.createdBy.map(User.init))
  }
}

/// The membership of the current user in a group.
struct Membership: Sendable, Hashable {
  var state: MemberState
  var role = Role.none
  var mutedState = MutedState.unmuted
  /// `nil` for the Platform API, and for a user who was not invited.
  var inviter: User?
  var invitedAt: Int64 = 0
  var joinedAt: Int64 = 0
  /// The `created_at` of the oldest message that the user may read.
  var visibleFrom: Int64 = 0

  init(json: JSONNode) throws(ParleyError) {
    state = try MemberState(json: json)
    role = Role(json: json)
    mutedState = MutedState(json: json)
    inviter = try json.present("inviter").map { node throws(ParleyError) in
      User(
        try AnswerReader.resource { () throws(ResourceError) in
          try ParleyProtocol.User(json: node)
        })
    }
    invitedAt = try AnswerReader.integer("invited_at", of: json)
    joinedAt = try AnswerReader.integer("joined_at", of: json)
    visibleFrom = try AnswerReader.integer("visible_from", of: json)
  }

  init(invitedBy inviter: User?, at time: Int64) {
    state = .invited
    self.inviter = inviter
    invitedAt = time
  }
}

/// The part of a group that only its members see.
struct GroupView: Sendable {
  /// `nil` for a user who is not a member.
  var my: Membership?
  var members: [Member] = []
  /// The last message that the user may read.
  var lastMessage: (any BaseMessage)?
  /// `nil` in an open channel.
  var position: ChannelPosition?
  /// Whether all events after ``position`` reach this client.
  ///
  /// It is false for a group that was read before the latest `group.ready`.
  var isCovered = false
}

extension GroupView {
  /// Parses the members of `channel` that events lack.
  init(json: JSONNode, _ reader: MessageReader) throws(ParleyError) {
    my = try json.present("my").map(Membership.init(json:))
    if json.present("members") != nil {
      members = try AnswerReader.list("members", of: json, Member.init(json:))
    }
    lastMessage = try json.present("last_message").map(reader.message(_:))
    position = ChannelPosition(
      epoch: try AnswerReader.text("epoch", of: json),
      reached: try AnswerReader.integer("seq", of: json))
  }

  /// Records the number of an event.
  mutating func receive(seq: Int64) {
    if isCovered { position?.reach(seq) } else { position?.note(seq) }
  }

  /// Records a message that was sent or changed.
  mutating func note(_ message: any BaseMessage) {
    guard message.messageID >= lastMessage?.messageID ?? 0 else { return }
    lastMessage = message
  }

  /// Keeps the last message that is known from events, if it is newer than that of an answer.
  ///
  /// The server may read the last message before it sends the events that precede the answer.
  mutating func keepLastMessage(of known: GroupView) {
    guard let my, my.visibleFrom == known.my?.visibleFrom, let message = known.lastMessage else {
      return
    }
    note(message)
  }

  /// Removes a deleted message.
  mutating func forget(messageID: Int64) {
    if lastMessage?.messageID == messageID { lastMessage = nil }
  }

  /// Adds a member, or replaces its entry.
  mutating func keep(_ member: Member) {
    if let index = members.firstIndex(where: { $0.userID == member.userID }) {
      members[index] = member
    } else {
      members.append(member)
    }
  }

  mutating func join(_ user: User, at time: Int64, isCurrentUser: Bool) {
    var member =
      members.first { $0.userID == user.userID } ?? Member(invited: user, at: 0)
    member.state = .joined
    member.joinedAt = time
    keep(member)
    guard isCurrentUser else { return }
    var membership = my ?? Membership(invitedBy: nil, at: 0)
    membership.state = .joined
    membership.joinedAt = time
    membership.visibleFrom = time
    my = membership
  }

  mutating func setRoles(_ operators: [User], for userID: String?) {
    let ids = Set(operators.map(\.userID))
    for index in members.indices {
      members[index].role = ids.contains(members[index].userID) ? .operator : .none
    }
    if let userID { my?.role = ids.contains(userID) ? .operator : .none }
  }

  mutating func setMuted(_ isMuted: Bool, _ mutedID: String, for userID: String?) {
    let state = isMuted ? MutedState.muted : .unmuted
    if let index = members.firstIndex(where: { $0.userID == mutedID }) {
      members[index].mutedState = state
    }
    if mutedID == userID { my?.mutedState = state }
  }
}
