import ParleyProtocol

/// Identifies an entry or a read of a judge by the work that awaits its answer.
package enum EntryID: Hashable, Sendable {
  /// The message with this id is being appended.
  case send(Int64)
  /// A refused send is being looked up among earlier sends.
  case repetition(Int64)
  /// The message with this id is being read or changed.
  case change(Int64)
  /// The channel is being changed.
  case operation
  /// A message is being read for a call that only views it.
  case view(Int64)
  /// A group is being read among the entries, for a call that only views it.
  case groupView(Int64)
  /// A member's own part in a group is being changed.
  case own(Int64)
  /// The place of the message with this id is being looked up, which a client has received.
  case delivery(Int64)
  /// The positions are being stored up to which clients have received messages.
  case deliveries

  /// The number that the log returns with the answer.
  package var number: UInt64 {
    switch self {
    case .send(let id): Self.number(0, id)
    case .repetition(let number): Self.number(1, number)
    case .change(let id): Self.number(2, id)
    case .operation: Self.number(3, 0)
    case .view(let number): Self.number(4, number)
    case .own(let number): Self.number(5, number)
    case .groupView(let number): Self.number(6, number)
    case .delivery(let id): Self.number(7, id)
    case .deliveries: Self.number(8, 0)
    }
  }

  /// - Returns: `nil` for a number that no entry has.
  package init?(number: UInt64) {
    let value = Int64(number >> 4)
    switch number & 15 {
    case 0: self = .send(value)
    case 1: self = .repetition(value)
    case 2: self = .change(value)
    case 3: self = .operation
    case 4: self = .view(value)
    case 5: self = .own(value)
    case 6: self = .groupView(value)
    case 7: self = .delivery(value)
    case 8: self = .deliveries
    case _: return nil
    }
  }

  /// Message ids have 53 bits.
  private static func number(_ kind: UInt64, _ value: Int64) -> UInt64 {
    UInt64(truncatingIfNeeded: value) << 4 | kind
  }
}

/// Identifies a call, so that its answer reaches the caller.
package enum CallID: Hashable, Sendable {
  /// A call over a session.
  case session(ReplyAddress)
  /// A call to the Platform API, by the number that its host assigned.
  case platform(UInt64)
}

/// Identifies a send that a client may repeat.
struct RequestKey: Hashable, Sendable {
  /// `nil` for admin messages.
  let userID: String?
  let requestID: String

  init(userID: String?, requestID: String) {
    self.userID = userID
    self.requestID = requestID
  }

  /// `nil` for a send without a request id, which cannot be repeated.
  init?(_ user: User?, _ requestID: String?) {
    guard let requestID, !requestID.isEmpty else { return nil }
    self.init(userID: user?.id, requestID: requestID)
  }
}
