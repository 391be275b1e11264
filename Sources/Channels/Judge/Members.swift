import ParleyProtocol

/// The members of a group as its judge knows them: without their profiles, which the log has.
struct Members: Sendable {
  private var table: [String: Member] = [:]
  /// The number of joined members.
  private(set) var joinedCount = 0

  init(_ members: [Member]) {
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

  /// Adds a member, or changes its state.
  mutating func put(_ member: Member) {
    remove(member.user.id)
    var member = member
    member.user = User(id: member.user.id)
    table[member.user.id] = member
    if member.state == .joined { joinedCount += 1 }
  }

  /// Removes a user, if it is a member.
  mutating func remove(_ userID: String) {
    if table.removeValue(forKey: userID)?.state == .joined { joinedCount -= 1 }
  }
}
