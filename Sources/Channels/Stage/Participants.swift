import FloodControl
package import ParleyProtocol

/// A user in a channel.
package struct Participant: Sendable {
  package var user: User
  /// The connections of the user that are in the channel.
  package var connections: [SessionAddress]
  /// Increases with each user that enters.
  package let entry: Int64
}

/// The users in a channel, each with its connections and its throttle.
///
/// A user keeps its slot while any of its connections is in the channel, so that one bit can stand
/// for it.
struct Participants: Sendable {
  private var slots: [Participant?] = []
  /// The connections on each shard, in the order of the shards.
  private(set) var connectionCounts: [(place: Int, count: Int)] = []
  /// The slots in use.
  private var taken = SlotSet()
  /// By slot; what a fan-out walks through lies densely.
  private(set) var throttles: [Throttle] = []
  private var slotByUser: [String: Int] = [:]
  private var freeSlots: [Int] = []
  private var order = EntryOrder()
  private var operatorIDs: Set<String>
  /// The slots of operators.
  private var operators = SlotSet()

  /// - Parameter operatorIDs: The users who are shown everything.
  init(operatorIDs: Set<String> = []) {
    self.operatorIDs = operatorIDs
  }

  /// The number of users in the channel.
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

  /// Adds a connection of a user.
  ///
  /// - Parameter throttle: What the user's window holds when this is its first connection.
  /// - Returns: The slot that the user newly sits in; `nil` when it was in the channel already.
  mutating func add(
    _ connection: SessionAddress, of user: User, throttle: Throttle
  ) -> Int? {
    if let slot = slotByUser[user.id] {
      slots[slot]?.user = user
      if slots[slot]?.connections.contains(connection) == false {
        slots[slot]?.connections.append(connection)
        count(connection, 1)
      }
      return nil
    }
    let slot = takeSlot()
    count(connection, 1)
    slots[slot] = Participant(user: user, connections: [connection], entry: order.append(slot))
    taken.insert(slot)
    if operatorIDs.contains(user.id) { operators.insert(slot) }
    throttles[slot] = throttle
    slotByUser[user.id] = slot
    return slot
  }

  /// Takes a connection out.
  ///
  /// - Returns: The user, when this was its last connection.
  mutating func remove(_ connection: SessionAddress, of userID: String) -> User? {
    guard let slot = slotByUser[userID],
      let index = slots[slot]?.connections.firstIndex(of: connection)
    else { return nil }
    slots[slot]?.connections.remove(at: index)
    count(connection, -1)
    guard let participant = slots[slot], participant.connections.isEmpty else { return nil }
    free(slot, of: userID)
    return participant.user
  }

  /// Takes a user out with all its connections.
  mutating func removeAll(of userID: String) -> Participant? {
    guard let slot = slotByUser[userID], let participant = slots[slot] else { return nil }
    for connection in participant.connections { count(connection, -1) }
    free(slot, of: userID)
    return participant
  }

  /// Takes all users out.
  mutating func removeAll() -> [Participant] {
    let participants = slots.compactMap(\.self)
    self = Participants(operatorIDs: operatorIDs)
    return participants
  }

  mutating func update(_ user: User) {
    if let slot = slotByUser[user.id] { slots[slot]?.user = user }
  }

  /// Whether a user is shown everything, in the channel or not.
  func isOperator(_ userID: String) -> Bool { operatorIDs.contains(userID) }

  /// Takes over the users who are shown everything.
  mutating func setOperators(_ userIDs: Set<String>) {
    guard userIDs != operatorIDs else { return }
    operatorIDs = userIDs
    operators = SlotSet()
    for slot in userIDs.compactMap(slot(of:)) { operators.insert(slot) }
  }

  /// The throttle of a user who is in the channel.
  func throttle(of userID: String) -> Throttle? { slotByUser[userID].map { throttles[$0] } }

  /// Puts a message to every participant's throttle.
  ///
  /// - Parameters:
  ///   - author: The participant who wrote it; `nil` for one who is not in the channel.
  ///   - limit: The throttle's limit.
  /// - Returns: Those from whom it is withheld.
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

  /// Hands over what was withheld from a participant since the last call.
  mutating func takeWithheld(slot: Int) -> WithheldMessages? {
    throttles[slot].takeWithheld()
  }

  /// The users who entered after a certain entry, earliest first.
  func page(after entry: Int64, limit: Int) -> [Participant] {
    order.slots(after: entry, limit: limit).compactMap { slots[$0] }
  }

  private mutating func count(_ connection: SessionAddress, _ change: Int) {
    let place = connection.place
    let index = connectionCounts.firstIndex { $0.place >= place } ?? connectionCounts.count
    if index == connectionCounts.count || connectionCounts[index].place != place {
      connectionCounts.insert((place, 0), at: index)
    }
    connectionCounts[index].count += change
    if connectionCounts[index].count == 0 { connectionCounts.remove(at: index) }
  }

  private mutating func takeSlot() -> Int {
    if let slot = freeSlots.popLast() { return slot }
    slots.append(nil)
    throttles.append(Throttle())
    return slots.count - 1
  }

  private mutating func free(_ slot: Int, of userID: String) {
    if let entry = slots[slot]?.entry { order.remove(entry) }
    slots[slot] = nil
    operators.remove(slot)
    taken.remove(slot)
    throttles[slot] = Throttle()
    slotByUser[userID] = nil
    freeSlots.append(slot)
  }
}
