internal import ParleyProtocol

/// Whether a user takes part in a group.
public enum MemberState: Sendable, Hashable {
  /// The user is not a member.
  case none
  /// The user is invited: it sees the group and its members, and no messages.
  case invited
  /// The user reads and sends.
  case joined
}

/// The rights of a user in a channel.
public enum Role: Sendable, Hashable {
  /// The user may moderate the channel.
  case `operator`
  /// The user has no special rights.
  case none
}

/// Whether a user may send in a channel.
public enum MutedState: Sendable, Hashable {
  /// The user may send.
  case unmuted
  /// The user may read but not send.
  case muted
}

/// The reason why a user is no longer a member of a group.
public enum MembershipEnd: Sendable, Hashable {
  /// The user left.
  case left
  /// The user declined its invitation.
  case declined
  /// An operator or the Platform API removed the user.
  case removed
  /// The user was banned.
  case banned
  /// The user was deleted.
  case userDeleted
  /// The group was deleted.
  case channelDeleted

  init(_ reason: DepartureReason) {
    self =
      switch reason {
      case .left: .left
      case .declined: .declined
      case .removed: .removed
      case .banned: .banned
      case .deletedUser: .userDeleted
      case .deleted: .channelDeleted
      }
  }
}

/// A user who belongs to a group.
public struct Member: Sendable, Hashable, Identifiable {
  /// The user.
  public let user: User
  /// Whether the user has joined or is invited.
  public internal(set) var state: MemberState
  /// Whether the user is an operator of the group.
  public internal(set) var role: Role
  /// Whether the user may send.
  public internal(set) var mutedState: MutedState
  /// Unix milliseconds; 0 for an invited member.
  public internal(set) var joinedAt: Int64
  /// Unix milliseconds; 0 for a user who was not invited.
  public let invitedAt: Int64
  /// The ``BaseMessage/createdAt`` of the last message that a joined member has read, in Unix
  /// milliseconds, 0 if there is none; `nil` in a group without receipts.
  public internal(set) var readAt: Int64?
  /// The ``BaseMessage/createdAt`` of the last message that a client of a joined member has received, or that
  /// the member has read, in Unix milliseconds, 0 if there is none; `nil` in a group without delivery
  /// receipts.
  public internal(set) var deliveredAt: Int64?
  /// Whether the user had a session when the server last answered; false for a member who is known from
  /// events only.
  ///
  /// No event reports a change: call ``GroupChannel/refresh()`` or list the members again.
  public let isOnline: Bool
  /// The end of the user's last session, in Unix milliseconds and exact to a minute; 0 while it is online, and
  /// for a user who has had none.
  public let lastSeenAt: Int64
  /// Whether the current user blocks the member, as the server answered to a ``MemberListQuery``; false in
  /// other members.
  public let isBlockedByMe: Bool

  /// The user's id.
  public var userID: String { user.userID }
  /// The display name; empty when the user has none.
  public var nickname: String { user.nickname }
  /// The same as ``userID``.
  public var id: String { userID }

  init(json: JSONNode) throws(ParleyError) {
    user = User(
      try AnswerReader.resource { () throws(ResourceError) in try ParleyProtocol.User(json: json) })
    state = try MemberState(json: json)
    role = Role(json: json)
    mutedState = MutedState(json: json)
    joinedAt = try AnswerReader.integer("joined_at", of: json)
    invitedAt = try AnswerReader.integer("invited_at", of: json)
    if json.present("read_at") != nil {
      readAt = try AnswerReader.integer("read_at", of: json)
    }
    if json.present("delivered_at") != nil {
      deliveredAt = try AnswerReader.integer("delivered_at", of: json)
    }
    isOnline = json["is_online"]?.bool == true
    lastSeenAt =
      json.present("last_seen_at") == nil ? 0 : try AnswerReader.integer("last_seen_at", of: json)
    isBlockedByMe = json["is_blocked_by_me"]?.bool == true
  }

  /// - Parameter time: Unix milliseconds.
  init(invited user: User, at time: Int64) {
    self.user = user
    state = .invited
    role = .none
    mutedState = .unmuted
    joinedAt = 0
    invitedAt = time
    isOnline = false
    lastSeenAt = 0
    isBlockedByMe = false
  }
}

extension MemberState {
  /// Parses the member `state`.
  init(json: JSONNode) throws(ParleyError) {
    let text = try AnswerReader.text("state", of: json)
    guard let state = ParleyProtocol.MemberState(rawValue: text) else {
      throw .malformedAnswer("'state' is \(text), expected joined or invited")
    }
    self.init(state)
  }

  init(_ state: ParleyProtocol.MemberState) {
    self =
      switch state {
      case .joined: .joined
      case .invited: .invited
      }
  }
}

extension Role {
  /// Parses the member `role`.
  init(json: JSONNode) {
    self = json["role"]?.string == "operator" ? .operator : .none
  }
}

extension MutedState {
  /// Parses the member `is_muted`.
  init(json: JSONNode) {
    self = json["is_muted"]?.bool == true ? .muted : .unmuted
  }
}
