package import ParleyProtocol

/// The time in which a channel's new home learns who is in the channel.
///
/// Until all servers have reported their users, nobody is let in, for any server may have the user's
/// window, and no notice about participants is published, for a user may be on a server that has not
/// reported.
struct Gathering: Sendable {
  /// The servers that have not reported.
  private var awaited: Set<UInt16>
  /// Those who ask to enter meanwhile, in order.
  private(set) var applicants: [Applicant] = []
  /// The users who have left, with the servers that go on from their windows, whose claims may be on the
  /// way; in order.
  private(set) var departures: [(userID: String, server: UInt16, heirs: [UInt16])] = []
  /// The users of whom participants know, as far as servers have reported.
  private var announced = AnnouncedUsers.users([])

  init(awaiting servers: Set<UInt16>) { awaited = servers }

  var isOver: Bool { awaited.isEmpty }

  /// The notices that participants have received so far.
  var announcedUsers: AnnouncedUsers { announced }

  mutating func hold(_ applicant: Applicant) { applicants.append(applicant) }

  /// Forgets an applicant whose stage has let its connection in, or does not.
  mutating func withdraw(_ number: UInt64, on server: UInt16) {
    applicants.removeAll { applicant in
      if case .elsewhere(_, number, let address) = applicant {
        address.server == server
      } else {
        false
      }
    }
  }

  mutating func note(heirs: [UInt16], of userID: String, on server: UInt16) {
    guard !heirs.isEmpty else { return }
    departures.append((userID, server, heirs))
  }

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

/// The part of a stage's report that has come to its home.
struct StageArrival: Sendable {
  /// The users whom the home had on the stage's server, and who have not been reported.
  private(set) var unconfirmed: Set<String>
  private(set) var claims: [EntryClaim] = []
  /// The last admission that was asked for before the report.
  let lastNumber: UInt64

  init(unconfirmed: [String], lastNumber: UInt64) {
    self.unconfirmed = Set(unconfirmed)
    self.lastNumber = lastNumber
  }

  mutating func take(_ piece: StagePiece) {
    unconfirmed.subtract(piece.userIDs)
    claims += piece.entering
  }

  mutating func note(entered userID: String) { unconfirmed.remove(userID) }

  mutating func settle(_ number: UInt64) { claims.removeAll { $0.number == number } }
}
