package import ParleyProtocol

/// The facts in a log on which a change of a member's own part in a group depends.
package protocol OwnChangeFacts {
  associatedtype Failure: Error
  /// The last countable message, and the `created_at` of the last message, in Unix milliseconds.
  var last: MessagePlace { get }
  /// The place of a message of the group that exists or was deleted; of a silent one, that of the
  /// countable message before it. `nil` if the group never had it.
  func place(ofMessage id: Int64) throws(Failure) -> MessagePlace?
  /// The place of the last countable message that exists and is not after a time in Unix milliseconds;
  /// `nil` if there is none.
  func place(atTime time: Int64) throws(Failure) -> MessagePlace?
  /// The number of a user's countable messages from a time on and after an ordinal, without those that are
  /// unread for no member: see ``ChannelState/uncounted``.
  func count(
    ofMessagesBy userID: String, from createdAt: Int64, after ordinal: Int64
  ) throws(Failure) -> Int64
}

/// The place of a message among the countable ones of its group.
package struct MessagePlace: Sendable, Hashable {
  package var ordinal: Int64
  /// Unix milliseconds.
  package var createdAt: Int64
  /// Whether the place is that of a silent message, after the countable one.
  package var isSilent: Bool

  package init(ordinal: Int64, createdAt: Int64, isSilent: Bool = false) {
    self.ordinal = ordinal
    self.createdAt = createdAt
    self.isSilent = isSilent
  }

  /// The last countable message before the place.
  var previousOrdinal: Int64 { isSilent ? ordinal : ordinal - 1 }
}

extension Member {
  /// The member after a change of its own part.
  ///
  /// - Parameter visibleFrom: ``visibleFrom`` if the history begins again.
  /// - Returns: `nil` for a message that is not in the member's history.
  package func applying<Facts: OwnChangeFacts>(
    _ change: OwnChange, visibleFrom: Int64, _ facts: Facts
  ) throws(Facts.Failure) -> Member? {
    var member = unhidden(byMessagesUpTo: facts.last.ordinal)
    switch change {
    case .markRead(let id):
      guard let place = try place(ofMessage: id, facts) else { return nil }
      try member.read(upTo: place, facts)
    case .markReadUntil(let time):
      if let place = try facts.place(atTime: time) { try member.read(upTo: place, facts) }
    case .markUnread(let id):
      guard let place = try place(ofMessage: id, facts) else { return nil }
      member.keepDelivered()
      member.position.ordinal = place.previousOrdinal
      member.position.readAt = place.createdAt - 1
      try member.countOwnMessages(from: place.createdAt, facts)
    case .hide(let isClearing, let isArchived):
      member.hiding = isArchived ? .archived : .untilMessage(after: facts.last.ordinal)
      if isClearing { member.beginHistory(from: visibleFrom, after: facts.last.ordinal) }
    case .unhide: member.hiding = .unhidden
    case .resetHistory: member.beginHistory(from: visibleFrom, after: facts.last.ordinal)
    case .prefer(let preference): member.countPreference = preference
    case .preferPushes(let pushes, let counting):
      member.pushTrigger = pushes
      if let counting { member.countPreference = counting }
    }
    return member
  }

  /// The member after messages up to one, which may have ended the hiding of the group.
  package func unhidden(byMessagesUpTo ordinal: Int64) -> Member {
    var member = self
    if !hiding.isInForce(lastOrdinal: ordinal) { member.hiding = .unhidden }
    return member
  }

  private func place<Facts: OwnChangeFacts>(
    ofMessage id: Int64?, _ facts: Facts
  ) throws(Facts.Failure) -> MessagePlace? {
    guard let id else { return facts.last }
    guard let place = try facts.place(ofMessage: id), place.createdAt >= visibleFrom else {
      return nil
    }
    return place
  }

  private mutating func read<Facts: OwnChangeFacts>(
    upTo place: MessagePlace, _ facts: Facts
  ) throws(Facts.Failure) {
    guard place.ordinal > position.ordinal else { return }
    (position.ordinal, position.readAt) = (place.ordinal, place.createdAt)
    if position.ownAfter > 0 { try countOwnMessages(from: place.createdAt, facts) }
  }

  private mutating func countOwnMessages<Facts: OwnChangeFacts>(
    from createdAt: Int64, _ facts: Facts
  ) throws(Facts.Failure) {
    position.ownAfter = try facts.count(
      ofMessagesBy: user.id, from: createdAt, after: max(position.ordinal, position.floor))
  }

  /// Keeps that the messages that the member has read were delivered, before its position falls.
  ///
  /// The reads of a member who keeps them to itself do not count.
  private mutating func keepDelivered() {
    if !hidesReads { deliveredAt = max(deliveredAt, position.readAt) }
  }

  private mutating func beginHistory(from time: Int64, after ordinal: Int64) {
    visibleFrom = time
    position.floor = ordinal
    position.ownAfter = 0
  }
}
