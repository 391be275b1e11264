import ParleyProtocol

/// The members of a group as its judge knows them: without their profiles, which the log has.
struct Members: Sendable {
  private var table: [String: Member] = [:]
  /// The number of joined members.
  private(set) var joinedCount = 0
  /// The members who have hidden the group until the next message.
  private(set) var awaitingIDs: Set<String> = []
  /// The ordinals of deleted messages.
  private var uncounted: OrdinalSet
  /// See ``ChannelState/floorOrdinal``.
  private var floor: Int64

  /// - Parameters:
  ///   - uncounted: The ordinals of deleted messages that a member may not have read.
  ///   - floor: See ``ChannelState/floorOrdinal``.
  init(_ members: [Member], uncounted: OrdinalSet = OrdinalSet(), floor: Int64 = 0) {
    self.uncounted = uncounted
    self.floor = floor
    for member in members { put(member) }
  }

  /// The number of members, joined and invited.
  var count: Int { table.count }

  subscript(userID: String) -> Member? { table[userID] }

  func isJoined(_ userID: String) -> Bool { table[userID]?.state == .joined }

  /// The ids of all members, sorted.
  var ids: [String] { table.keys.sorted() }

  /// The ids of the joined members, in no particular order.
  var joinedIDs: [String] { table.values.lazy.filter { $0.state == .joined }.map(\.user.id) }

  /// Adds a member, or changes it.
  mutating func put(_ member: Member) {
    remove(member.user.id)
    var member = member
    member.user = User(id: member.user.id)
    table[member.user.id] = member
    if member.state == .joined { joinedCount += 1 }
    if case .untilMessage = member.hiding { awaitingIDs.insert(member.user.id) }
  }

  /// Removes a user, if it is a member.
  mutating func remove(_ userID: String) {
    if table.removeValue(forKey: userID)?.state == .joined { joinedCount -= 1 }
    if !awaitingIDs.isEmpty { awaitingIDs.remove(userID) }
  }
}

/// Messages and who has read them.
extension Members {
  /// The number of messages that a joined member has not read.
  ///
  /// - Parameter last: The last message of the group.
  func unreadCount(of member: Member, last: Int64) -> Int64 {
    guard member.state == .joined else { return 0 }
    let position = max(member.position.ordinal, member.position.floor, floor)
    return max(
      0, last - position - member.position.ownAfter - uncounted.count(after: position))
  }

  /// Notes that the messages up to one have expired.
  mutating func raiseFloor(to ordinal: Int64) { floor = max(floor, ordinal) }

  /// Notes that a joined member has sent a message, and has read up to it.
  mutating func advance(_ userID: String, to ordinal: Int64, at createdAt: Int64) {
    guard isJoined(userID) else { return }
    table[userID]?.position.advance(to: ordinal, at: createdAt)
  }

  /// Notes that a message was deleted.
  mutating func uncount(_ ordinal: Int64, by userID: String?) {
    uncounted.insert(ordinal)
    if let userID { table[userID]?.position.forgetOwn(ordinal) }
  }

  /// Ends the hiding of the group, which a message has ended.
  ///
  /// - Returns: The members for whom it has ended.
  mutating func unhide(atMessage ordinal: Int64) -> [String] {
    guard !awaitingIDs.isEmpty else { return [] }
    let ids = awaitingIDs.filter { table[$0]?.hiding.isInForce(lastOrdinal: ordinal) == false }
    for id in ids { table[id]?.hiding = .unhidden }
    awaitingIDs.subtract(ids)
    return ids.sorted()
  }
}
