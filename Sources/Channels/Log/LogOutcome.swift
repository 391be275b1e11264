package import ParleyProtocol

/// The answer of a log to an entry or a read.
package typealias LogResult = Result<LogOutcome, LogError>

/// The outcome of an entry that was carried out.
package enum LogOutcome: Sendable, Hashable {
  /// The message is stored under this number; with the mentioned users that exist, in the given order.
  case appended(seq: Int64, mentionedUsers: [User])
  /// The same request was carried out before, and made this message. Nothing is written.
  indirect case repeated(SequencedMessage)
  /// The same request was carried out before, and its message was deleted. Nothing is written.
  case withdrawn
  /// The mentioned users that exist, in the given order.
  case relayed(mentionedUsers: [User])
  /// The message is written; with the mentioned users that exist, in the given order.
  case replaced(seq: Int64, mentionedUsers: [User])
  case deleted(seq: Int64)
  /// The requested changes, one for each, and the channel after them.
  indirect case changed([RecordedChange], Channel)
  /// The member after the change of its own part.
  indirect case own(OwnReading)
  /// The channel was removed; the number of the event that reports it, which is not stored.
  case removed(seq: Int64)
  /// The positions are stored.
  case stored
  /// The channel that was created or taken over.
  indirect case channel(ChannelState)
  /// The distinct group of the same members that was there already.
  indirect case found(ChannelState)
  /// There is no channel with this URL.
  case absent
  indirect case read(LogReading)
}

/// A change of a channel as carried out.
package enum RecordedChange: Sendable, Hashable {
  /// The channel was already in this state. No event is recorded.
  case unchanged
  /// A change of fields, or of the frozen state.
  case made(seq: Int64)
  /// A restriction was put on a user, or lifted.
  case user(User, seq: Int64)
  /// All current operators, in the order in which they became operators.
  case operators([User], seq: Int64)
  /// Those who became members, joined or left. A member who left is as it was before.
  case members([RecordedMember])

  /// The number of its event; `nil` if there is none.
  package var seq: Int64? {
    switch self {
    case .unchanged: nil
    case .made(let seq), .user(_, let seq), .operators(_, let seq): seq
    case .members(let members): members.last.flatMap(\.seq)
    }
  }
}

/// A member with the number of the event about it, which all users of one invitation share; `nil` in a group
/// that reports only numbers of members.
package struct RecordedMember: Sendable, Hashable {
  package var member: Member
  package var seq: Int64?

  package init(_ member: Member, seq: Int64?) {
    self.member = member
    self.seq = seq
  }
}

extension [Member] {
  /// The records of the members that one invitation adds: those who are invited share the first event,
  /// and each of the others has its own.
  ///
  /// - Parameter first: The number of the first event; `nil` if no events are recorded.
  package func recordedInvitation(from first: Int64?) -> [RecordedMember] {
    guard let first else { return map { RecordedMember($0, seq: nil) } }
    var seq = contains { $0.state == .invited } ? first : first - 1
    return map { member in
      guard member.state == .joined else { return RecordedMember(member, seq: first) }
      seq += 1
      return RecordedMember(member, seq: seq)
    }
  }
}

/// The reason why an entry or a read was not carried out.
package enum LogError: Error, Sendable, Hashable {
  /// The storage failed; no part of the entry is stored.
  case unavailable(String)
  /// The storage failed after the commit had been sent; the entry may be stored.
  case unknown(String)
  /// Too many entries or reads are waiting.
  case overloaded
  /// This many queries of the same principal are waiting.
  case tooManyQueries(limit: Int)
  /// The log has been closed.
  case closed
  /// Another submitter has taken the channel over, or the log has lost events of the channel.
  case fenced
  case missing(LogSubject)
  /// A channel with this URL, or a message with this id, exists.
  case exists
  /// There is no user with this id.
  case noUser(String)
  /// The user with this id is deactivated.
  case deactivated(String)
  /// A user has joined as many groups as it may.
  case tooManyGroups(limit: Int)
  /// The user with this id has as many open invitations as it may.
  case tooManyInvitations(userID: String, limit: Int)
  /// A text contains U+0000.
  case unstorableText
  /// The file of a message now needs a key, but the message says that it needs none.
  case outdatedFile
  /// A record was not written by this log, or the log has malfunctioned.
  case damaged(String)
}

/// An object that an entry requires.
package enum LogSubject: Sendable, Hashable {
  case channel
  case message
  /// A joined member of a group.
  case member
}

/// The author and time of a stored message.
package struct RecentSend: Sendable, Hashable {
  package let userID: String
  /// Unix milliseconds.
  package let createdAt: Int64

  package init(userID: String, createdAt: Int64) {
    self.userID = userID
    self.createdAt = createdAt
  }
}
