internal import ParleyProtocol

/// A change of a channel's properties by an event or a response.
enum SnapshotChange: Sendable {
  case replaced(ChannelSnapshot)
  case operators([User])
  case participantCount(Int)
  case muted(userID: String, Bool)
  /// A message was sent, or changed.
  case message(any BaseMessage)
  /// A message of a group was changed, and mentions others than before.
  case mentionsChanged(any BaseMessage, from: MessageMentions?)
  case messageDeleted(Event.Deletion)
  case members(MemberChange)
  /// The current user's own part in a group.
  case own(OwnMembership)
  /// Members of a group have read further.
  case reads([Event.Read])
  /// Clients of members of a group have received further messages.
  case deliveries([Event.Read])
  /// Other members of a group are typing.
  case typing([String])

  /// - Parameter userID: The current user.
  func apply(to properties: inout ChannelProperties, for userID: String?) {
    switch self {
    case .replaced(let newer):
      properties.snapshot = newer
      properties.view.setRoles(newer.operators, for: userID)
    case .operators(let operators):
      properties.snapshot.operators = operators
      properties.view.setRoles(operators, for: userID)
    case .participantCount(let count): properties.snapshot.participantCount = count
    case .muted(let mutedID, let isMuted):
      properties.view.setMuted(isMuted, mutedID, for: userID)
    case .message(let message), .mentionsChanged(let message, _):
      // An ephemeral group keeps no messages, and an open channel has no last one.
      guard properties.view.position != nil, !properties.snapshot.isEphemeral else { return }
      properties.view.note(message)
      properties.view.count(message, for: userID)
    case .messageDeleted(let deletion): properties.view.forget(messageID: deletion.messageID)
    case .members(let change): change.apply(to: &properties, for: userID)
    case .own(let own): properties.view.set(own)
    case .reads(let reads):
      for read in reads { properties.view.read(by: read.userID, upTo: read.readAt) }
    case .deliveries(let moves):
      for move in moves { properties.view.deliver(to: move.userID, upTo: move.readAt) }
    case .typing(let userIDs): properties.view.typingUserIDs = userIDs
    }
  }
}

/// A change of the members of a group.
enum MemberChange: Sendable {
  /// The numbers of members after a change.
  struct Counts: Sendable, Hashable {
    let members: Int
    let joined: Int
  }

  /// Users were invited; the group's new state is known.
  case invited([User], by: User?, at: Int64, ChannelSnapshot)
  case joined(User, at: Int64, Counts)
  /// A user left or declined.
  case gone(User, Counts)
  /// The numbers of members changed.
  case counted(Counts)
  /// The current user is no longer a member.
  case lost

  fileprivate func apply(to properties: inout ChannelProperties, for userID: String?) {
    switch self {
    case .invited(let users, let inviter, let time, let snapshot):
      properties.snapshot = snapshot
      for user in users {
        properties.view.keep(Member(invited: user, at: time))
        if user.userID == userID { properties.view.my = Membership(invitedBy: inviter, at: time) }
      }
    case .joined(let user, let time, let counts):
      properties.set(counts)
      properties.view.join(user, at: time, isCurrentUser: user.userID == userID)
      properties.view.setRoles(properties.snapshot.operators, for: userID)
    case .gone(let user, let counts):
      properties.set(counts)
      properties.view.members?.removeAll { $0.userID == user.userID }
    case .counted(let counts): properties.set(counts)
    case .lost: properties.view.my = nil
    }
  }
}

extension ChannelProperties {
  fileprivate mutating func set(_ counts: MemberChange.Counts) {
    snapshot.group.memberCount = counts.members
    snapshot.group.joinedMemberCount = counts.joined
  }
}
