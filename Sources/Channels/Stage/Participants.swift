import FloodControl

/// A user on a stage.
struct Participant: Sendable {
  let userID: String
  /// The connections of the user that are in the channel here.
  var connections: [SessionAddress]
}

/// The users on a stage, each with its connections and its throttle.
///
/// A user keeps its slot while any of its connections is in the channel, so that one bit can
/// represent the user.
struct Participants: Sendable {
  private var slots: [Participant?] = []
  /// By shard.
  private(set) var connectionCounts: [Int] = []
  /// The slots in use.
  private var taken = SlotSet()
  /// By slot; stored densely, since each fan-out scans them.
  private(set) var throttles: [Throttle] = []
  private var slotByUser: [String: Int] = [:]
  private var freeSlots: [Int] = []
  private var operatorIDs: Set<String>
  /// The slots of operators.
  private var operators = SlotSet()

  /// - Parameter operatorIDs: The users who are shown everything.
  init(operatorIDs: Set<String> = []) {
    self.operatorIDs = operatorIDs
  }

  /// The number of users on the stage.
  var count: Int { slotByUser.count }

  /// One more than the highest slot in use.
  var slotCount: Int { slots.count }

  func contains(_ userID: String) -> Bool { slotByUser[userID] != nil }

  func slot(of userID: String) -> Int? { slotByUser[userID] }

  subscript(slot: Int) -> Participant? { slots[slot] }

  /// Whether a slot is in use.
  func isTaken(_ slot: Int) -> Bool { taken.contains(slot) }

  /// Whether a connection of a user is in the channel.
  func contains(_ connection: SessionAddress, of userID: String) -> Bool {
    slotByUser[userID].flatMap { slots[$0] }?.connections.contains(connection) ?? false
  }

  /// The connections of a user.
  func connections(of userID: String) -> [SessionAddress] {
    slotByUser[userID].flatMap { slots[$0] }?.connections ?? []
  }

  /// Adds a connection of a user.
  ///
  /// - Parameter throttle: The contents of the user's window, if this is its first connection.
  /// - Returns: The user's new slot; `nil` if the user was already in the channel.
  mutating func add(
    _ connection: SessionAddress, of userID: String, throttle: Throttle
  ) -> Int? {
    if let slot = slotByUser[userID] {
      if slots[slot]?.connections.contains(connection) == false {
        slots[slot]?.connections.append(connection)
        count(connection, 1)
      }
      return nil
    }
    let slot = takeSlot()
    count(connection, 1)
    slots[slot] = Participant(userID: userID, connections: [connection])
    taken.insert(slot)
    if operatorIDs.contains(userID) { operators.insert(slot) }
    throttles[slot] = throttle
    slotByUser[userID] = slot
    return slot
  }

  /// Removes a connection.
  ///
  /// - Returns: Whether this was the user's last connection.
  mutating func remove(_ connection: SessionAddress, of userID: String) -> Bool {
    guard let slot = slotByUser[userID],
      let index = slots[slot]?.connections.firstIndex(of: connection)
    else { return false }
    slots[slot]?.connections.remove(at: index)
    count(connection, -1)
    guard slots[slot]?.connections.isEmpty == true else { return false }
    free(slot, of: userID)
    return true
  }

  /// Removes a user with all its connections.
  mutating func removeAll(of userID: String) -> Participant? {
    guard let slot = slotByUser[userID], let participant = slots[slot] else { return nil }
    for connection in participant.connections { count(connection, -1) }
    free(slot, of: userID)
    return participant
  }

  /// Removes all users.
  mutating func removeAll() -> [Participant] {
    let participants = slots.compactMap(\.self)
    self = Participants(operatorIDs: operatorIDs)
    return participants
  }

  /// Whether a user is shown everything, in the channel or not.
  func isOperator(_ userID: String) -> Bool { operatorIDs.contains(userID) }

  /// Sets the users who are shown everything.
  mutating func setOperators(_ userIDs: Set<String>) {
    guard userIDs != operatorIDs else { return }
    operatorIDs = userIDs
    operators = SlotSet()
    for slot in userIDs.compactMap(slot(of:)) { operators.insert(slot) }
  }

  /// The throttle of a user who is in the channel.
  func throttle(of userID: String) -> Throttle? { slotByUser[userID].map { throttles[$0] } }

  /// Applies every participant's throttle to a message.
  ///
  /// - Parameters:
  ///   - author: The participant who wrote the message; `nil` for an author who is not in the channel.
  ///   - limit: The throttle's limit.
  /// - Returns: The participants from whom it is withheld.
  mutating func decide(
    _ message: MessageFacts, author: Int?, limit: RateLimit
  ) -> SlotSet {
    let (createdAt, id, operators) = (message.createdAt, message.id, operators)
    var others = taken
    var withheld = SlotSet()
    throttles.withUnsafeMutableBufferPointer { throttles in
      operators.forEach { slot in
        guard slot != author else { return }
        others.remove(slot)
        _ = throttles[slot].decide(
          .operatorView, createdAt: createdAt, messageID: id, limit: limit)
      }
      if let author {
        others.remove(author)
        _ = throttles[author].decide(.own, createdAt: createdAt, messageID: id, limit: limit)
      }
      others.forEach { slot in
        switch throttles[slot].decide(
          .others, createdAt: createdAt, messageID: id, limit: limit)
        {
        case .shown: break
        case .withheld: withheld.insert(slot)
        }
      }
    }
    return withheld
  }

  /// Returns the messages withheld from a participant since the last call.
  mutating func takeWithheld(slot: Int) -> WithheldMessages? {
    throttles[slot].takeWithheld()
  }

  /// The users on the stage, in no particular order.
  var userIDs: some Collection<String> { slotByUser.keys }

  private mutating func count(_ connection: SessionAddress, _ change: Int) {
    let shard = Int(connection.shard)
    if shard >= connectionCounts.count {
      connectionCounts.append(
        contentsOf: repeatElement(0, count: shard + 1 - connectionCounts.count))
    }
    connectionCounts[shard] += change
  }

  private mutating func takeSlot() -> Int {
    if let slot = freeSlots.popLast() { return slot }
    slots.append(nil)
    throttles.append(Throttle())
    return slots.count - 1
  }

  private mutating func free(_ slot: Int, of userID: String) {
    slots[slot] = nil
    operators.remove(slot)
    taken.remove(slot)
    throttles[slot] = Throttle()
    slotByUser[userID] = nil
    freeSlots.append(slot)
  }
}
