/// The phase in which a channel's new home collects the users in the channel.
///
/// Until all servers have reported their users, no connection is admitted, since the number of
/// participants is not known, and no notice about participants is published, since a user may be on
/// a server that has not reported.
struct Gathering: Sendable {
  /// The servers that have not reported.
  private var awaited: Set<UInt16>
  /// The connections that ask to enter meanwhile, in order.
  private(set) var applicants: [Applicant] = []
  /// The users known to participants, as far as servers have reported.
  private var announced = AnnouncedUsers.users([])

  init(awaiting servers: Set<UInt16>) { awaited = servers }

  var isOver: Bool { awaited.isEmpty }

  /// The users that participants know from the notices so far.
  var announcedUsers: AnnouncedUsers { announced }

  mutating func hold(_ applicant: Applicant) { applicants.append(applicant) }

  mutating func note(_ more: AnnouncedUsers) { announced.formUnion(more) }

  mutating func remove(_ server: UInt16) { awaited.remove(server) }

  mutating func removeAll() { awaited = [] }
}

/// A connection that asks a channel's home for admission.
package enum Applicant: Sendable {
  /// On the home's server.
  case here(EnterRequest)
  /// On another server, with a number assigned by its stage.
  case elsewhere(SessionPrincipal, number: UInt64, StageAddress)
}

/// The users that a channel's participants know from notices.
package enum AnnouncedUsers: Sendable, Hashable {
  case users(Set<String>)
  /// Only their number, since there are many.
  case number

  /// Applies a notice.
  mutating func apply(_ change: PresenceMark) {
    guard case .users(var users) = self else { return }
    switch change {
    case .entered(let userID): users.insert(userID)
    case .exited(let userID): users.remove(userID)
    case .count:
      self = .number
      return
    }
    self = .users(users)
  }

  mutating func formUnion(_ other: AnnouncedUsers) {
    switch (self, other) {
    case (.users(let users), .users(let more)): self = .users(users.union(more))
    case (.number, _), (_, .number): self = .number
    }
  }
}

/// The change that a notice announces.
package enum PresenceMark: Sendable, Hashable {
  case entered(userID: String)
  case exited(userID: String)
  /// Only the number of participants.
  case count
}
