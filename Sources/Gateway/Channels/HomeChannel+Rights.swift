import Channels
import Configuration
import ParleyProtocol
import Store

/// Who may do what: the one place that decides it, for sessions and for the Platform API.
///
/// The Platform API acts beside the rules for participants: it need not be an operator, nor in the
/// channel, and freezing, muting and the flood limit do not hold it. A ban does: a user who may not
/// be in the channel does not speak there by another door.
extension HomeChannel {
  /// - Throws: 400201 for a channel that is no more, 400108 unless `actor` may do what operators
  ///   do.
  func requireOperating(_ actor: Principal) throws(ServiceError) {
    guard !isDeleted else { throw .notFound(.channel, url) }
    switch actor {
    case .platform: break
    case .session(let caller):
      guard isOperator(caller.user.id) else {
        throw .notAllowed("only operators of the channel may do this")
      }
    }
  }

  /// - Throws: Why the actor may not send, whatever the message: 400201, 400750, 900020, 900050 or
  ///   900041, in this order.
  func requireSending(_ actor: Principal) throws(ServiceError) {
    guard !isDeleted else { throw .notFound(.channel, url) }
    guard let user = actor.user else { return }
    for obstacle in SendingObstacle.allCases where obstacle.holds(actor) {
      if stands(obstacle, against: user.id) { throw obstacle.refusal(inChannel: url) }
    }
  }

  /// Whether something keeps a user from sending now.
  func stands(_ obstacle: SendingObstacle, against userID: String) -> Bool {
    switch obstacle {
    case .banned: isRestricted(userID, by: bans)
    case .absent: !stage.contains(userID)
    case .frozen: record.isFrozen && !isOperator(userID)
    case .muted: isRestricted(userID, by: mutes)
    }
  }

  /// Who may not send may not say it by way of an edit either.
  ///
  /// - Throws: 400201 when there are no messages to edit, else 400750, 900050 or 900041.
  func requireEditing(_ actor: Principal) throws(ServiceError) {
    try requireKeptMessages()
    guard case .session(let caller) = actor else { return }
    let userID = caller.user.id
    guard !isRestricted(userID, by: bans) else { throw .banned(url) }
    guard !record.isFrozen || isOperator(userID) else { throw .frozen(url) }
    guard !isRestricted(userID, by: mutes) else { throw .muted(url) }
  }

  /// Polls and counters are for any participant who may send.
  ///
  /// - Throws: 400201 when there are no messages, else as for sending.
  func requireCounting(_ actor: Principal) throws(ServiceError) {
    try requireKeptMessages()
    guard case .session = actor else { return }
    try requireSending(actor)
  }

  /// - Throws: 400201 in a channel that keeps no messages, or is no more.
  func requireKeptMessages() throws(ServiceError) {
    guard !record.isEphemeral else { throw .notKept(inEphemeralChannel: url) }
  }

  /// Whose messages the actor may change.
  func changeRight(of actor: Principal) -> ChangeRight {
    switch actor {
    case .platform: .everyMessage
    case .session(let caller):
      isOperator(caller.user.id) ? .everyMessage : .messages(of: caller.user.id)
    }
  }

  /// Whether the flood limit holds for what the actor sends.
  func isFloodLimited(_ actor: Principal) -> Bool {
    switch actor {
    case .platform: false
    case .session(let caller): !isExemptFromFlood(caller.user.id)
    }
  }

  /// Whether a user may send as an operator without regard to the flood limit.
  func isExemptFromFlood(_ userID: String) -> Bool {
    services.settings.limits.flood.exemptsOperators && isOperator(userID)
  }

  func isRestricted(_ userID: String, by restrictions: [String: Restriction]) -> Bool {
    restrictions[userID].map { $0.endsAt > services.clock.now } ?? false
  }
}

/// Whose messages someone may change.
enum ChangeRight: Sendable {
  case everyMessage
  case messages(of: String)

  func covers(_ message: Message) -> Bool {
    switch self {
    case .everyMessage: true
    case .messages(of: let userID): message.user?.id == userID
    }
  }

  func check(_ message: Message) throws(ServiceError) {
    guard covers(message) else {
      throw .notAllowed("only its author and operators may change a message")
    }
  }
}
