import FloodControl

/// The participants of a channel with their throttles, which decide what each is shown.
struct Audience: Sendable {
  /// The throttle's limit.
  var limit: RateLimit
  private(set) var participants: Participants
  private var withheld = WithheldLedger()
  /// By slot: the last event before those of which the user was shown everything that was not withheld.
  private var shownSince: [Int64] = []
  /// Notices of withheld messages: within a second of the first one.
  private var notices = NoticePacer(patience: 800)

  init(operatorIDs: Set<String>, limit: RateLimit) {
    self.limit = limit
    participants = Participants(operatorIDs: operatorIDs)
  }

  // MARK: Participants

  /// Adds a connection of a user.
  ///
  /// - Parameters:
  ///   - throttle: The user's window, if this is its first connection.
  ///   - withheldIDs: The messages withheld from the connection so far.
  ///   - seq: The last event before those that the connection was shown.
  /// - Returns: Whether the user is new on the stage.
  mutating func add(
    _ connection: SessionAddress, of userID: String, throttle: Throttle,
    withheldIDs: some Collection<Int64>, since seq: Int64
  ) -> Bool {
    let newSlot = participants.add(connection, of: userID, throttle: throttle)
    guard let slot = newSlot ?? participants.slot(of: userID) else { return false }
    if newSlot != nil {
      withheld.clear(slot: slot)
      while shownSince.count <= slot { shownSince.append(0) }
      shownSince[slot] = seq
    }
    shownSince[slot] = min(seq, shownSince[slot])
    guard !withheldIDs.isEmpty else { return newSlot != nil }
    var seat = SlotSet()
    seat.insert(slot)
    for messageID in withheldIDs { withheld.record(messageID, withheldFrom: seat) }
    return newSlot != nil
  }

  /// Removes a connection.
  ///
  /// - Returns: Whether this was the user's last connection.
  mutating func remove(_ connection: SessionAddress, of userID: String) -> Bool {
    participants.remove(connection, of: userID)
  }

  /// Removes a user with all its connections.
  mutating func removeAll(of userID: String) -> Participant? {
    participants.removeAll(of: userID)
  }

  /// Removes all users.
  mutating func removeAll() -> [Participant] { participants.removeAll() }

  /// Sets the users who are shown everything.
  mutating func setOperators(_ userIDs: Set<String>) { participants.setOperators(userIDs) }

  // MARK: Messages

  /// Applies every participant's throttle to a message.
  ///
  /// - Returns: The participants from whom it is withheld.
  mutating func decide(_ message: MessageFacts, at now: Moment) -> SlotSet {
    guard !limit.isOff, let authorID = message.authorID else { return SlotSet() }
    let slots = participants.decide(
      message, author: participants.slot(of: authorID), limit: limit)
    guard !slots.isEmpty else { return slots }
    withheld.record(message.id, withheldFrom: slots)
    notices.noteChange(at: now.monotonic)
    return slots
  }

  /// The participants from whom a message was withheld.
  func slots(withheld messageID: Int64) -> SlotSet { withheld.slots(withheld: messageID) }

  /// The participants among some users.
  func slots(of userIDs: [String]) -> SlotSet {
    var slots = SlotSet()
    for id in userIDs { if let slot = participants.slot(of: id) { slots.insert(slot) } }
    return slots
  }

  /// The messages that the connections of a user were shown; `nil` if the user is not here.
  func shown(to userID: String) -> ShownMessages? {
    participants.slot(of: userID).map { slot in
      ShownMessages(
        since: shownSince[slot], withheldIDs: Set(withheld.messages(withheldFrom: slot)))
    }
  }

  /// Removes a deleted message.
  mutating func forget(_ messageID: Int64) { withheld.forget(messageID) }

  // MARK: Notices

  /// The time at which participants should be notified of withheld messages.
  var due: Int64? { notices.due }

  /// Returns the messages withheld since the last notice, if one is due, with the connections of
  /// the users who missed exactly these.
  mutating func takeWithheld(at now: Moment) -> [WithheldMessages: [SessionAddress]] {
    guard let due = notices.due, due <= now.monotonic else { return [:] }
    notices.noteSent(at: now.monotonic)
    var groups: [WithheldMessages: [SessionAddress]] = [:]
    for slot in 0..<participants.slotCount {
      guard let missed = participants.takeWithheld(slot: slot),
        let participant = participants[slot]
      else { continue }
      groups[missed, default: []].append(contentsOf: participant.connections)
    }
    return groups
  }
}

/// A set of participants, one bit for each slot.
struct SlotSet: Sendable {
  private var words: [UInt64] = []

  var isEmpty: Bool { words.allSatisfy { $0 == 0 } }

  /// The number of participants in the set.
  var count: Int { words.reduce(0) { $0 + $1.nonzeroBitCount } }

  /// The size in memory.
  var byteCount: Int { words.count * 8 }

  func contains(_ slot: Int) -> Bool {
    let word = slot >> 6
    return word < words.count && words[word] & (1 << UInt64(slot & 63)) != 0
  }

  mutating func insert(_ slot: Int) {
    let word = slot >> 6
    if word >= words.count {
      words.append(contentsOf: repeatElement(0, count: word + 1 - words.count))
    }
    words[word] |= 1 << UInt64(slot & 63)
  }

  mutating func remove(_ slot: Int) {
    let word = slot >> 6
    if word < words.count { words[word] &= ~(1 << UInt64(slot & 63)) }
  }

  /// Adds the participants of another set.
  mutating func formUnion(_ other: SlotSet) {
    if words.count < other.words.count {
      words.append(contentsOf: repeatElement(0, count: other.words.count - words.count))
    }
    for index in other.words.indices { words[index] |= other.words[index] }
  }

  /// Calls `body` with each slot, lowest first.
  func forEach(_ body: (Int) -> Void) {
    for (index, word) in words.enumerated() {
      var rest = word
      while rest != 0 {
        body(index * 64 + rest.trailingZeroBitCount)
        rest &= rest - 1
      }
    }
  }
}
