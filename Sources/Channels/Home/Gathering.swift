package import ParleyProtocol

/// The time in which a channel's new home learns who is in the channel.
///
/// Until all servers have reported their users, nobody is let in, for the number of participants is not
/// known, and no notice about participants is published, for a user may be on a server that has not
/// reported.
struct Gathering: Sendable {
  /// The servers that have not reported.
  private var awaited: Set<UInt16>
  /// Those who ask to enter meanwhile, in order.
  private(set) var applicants: [Applicant] = []
  /// The users of whom participants know, as far as servers have reported.
  private var announced = AnnouncedUsers.users([])

  init(awaiting servers: Set<UInt16>) { awaited = servers }

  var isOver: Bool { awaited.isEmpty }

  /// The notices that participants have received so far.
  var announcedUsers: AnnouncedUsers { announced }

  mutating func hold(_ applicant: Applicant) { applicants.append(applicant) }

  mutating func note(_ more: AnnouncedUsers) { announced.formUnion(more) }

  mutating func remove(_ server: UInt16) { awaited.remove(server) }

  mutating func removeAll() { awaited = [] }
}

/// A connection that asks a channel's home to be let in.
package enum Applicant: Sendable {
  /// On the home's server.
  case here(EnterRequest)
  /// On another server, under a number of its stage.
  case elsewhere(User, number: UInt64, StageAddress)
}

/// The users of whom a channel's participants know by notices.
package enum AnnouncedUsers: Sendable, Hashable {
  case users(Set<String>)
  /// Only their number is announced, for there are many.
  case number

  /// Takes a notice in.
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
  /// The number of participants alone.
  case count
}
