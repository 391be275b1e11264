package import ParleyProtocol

/// The answer of a log to an entry or a read.
package typealias LogResult = Result<LogOutcome, LogError>

/// The outcome of an entry that was carried out.
package enum LogOutcome: Sendable, Hashable {
  /// The message is kept under this number; the mentioned who are users, in the order given.
  case appended(seq: Int64, mentionedUsers: [User])
  /// The same request was carried out before, and made this message. Nothing is written.
  indirect case repeated(SequencedMessage)
  /// The same request was carried out before, and its message was deleted. Nothing is written.
  case withdrawn
  /// The mentioned who are users, in the order given.
  case relayed(mentionedUsers: [User])
  /// The message is written; the mentioned who are users, in the order given.
  case replaced(seq: Int64, mentionedUsers: [User])
  case deleted(seq: Int64)
  /// The changes, one for each asked for, and the channel after them.
  indirect case changed([RecordedChange], Channel)
  /// The channel is gone; the number of the event that says so, which is kept nowhere.
  case removed(seq: Int64)
  /// The channel that was made, or taken over.
  indirect case channel(ChannelState)
  /// There is no channel of this URL.
  case absent
  indirect case read(LogReading)
}

/// A change of a channel as it was carried out.
package enum RecordedChange: Sendable, Hashable {
  /// It was so before. No event is recorded.
  case unchanged
  /// A change of fields, or of being frozen.
  case made(seq: Int64)
  /// A restriction was put on a user, or lifted.
  case user(User, seq: Int64)
  /// All operators there are now, in the order in which they became operators.
  case operators([User], seq: Int64)

  /// The number of its event; `nil` without one.
  package var seq: Int64? {
    switch self {
    case .unchanged: nil
    case .made(let seq), .user(_, let seq), .operators(_, let seq): seq
    }
  }
}

/// The reason why an entry or a read was not carried out.
package enum LogError: Error, Sendable, Hashable {
  /// The storage failed; nothing of the entry is there.
  case unavailable(String)
  /// The storage failed after the commit had been sent; the entry may be there.
  case unknown(String)
  /// Too many entries or reads are waiting.
  case overloaded
  /// So many queries of the same principal are waiting.
  case tooManyQueries(limit: Int)
  /// The log has been closed.
  case closed
  /// Another one has taken the channel over since, or the log has lost events of the channel.
  case fenced
  case missing(LogSubject)
  /// There is a channel of this URL, or a message of this id.
  case exists
  /// There is no user of this id.
  case noUser(String)
  /// A text holds U+0000.
  case unstorableText
  /// The file of a message has come to need a key, and the message says that it needs none.
  case outdatedFile
  /// A record is not one that this log wrote, or the log did something that it should not.
  case damaged(String)
}

/// A thing that an entry needs.
package enum LogSubject: Sendable, Hashable {
  case channel
  case message
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
