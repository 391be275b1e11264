import ParleyProtocol

/// The members of a group in a `MemoryLog`, by id.
///
/// The profiles in it may be outdated; reads return current ones.
struct MemoryLogMembers: Sendable {
  private var table: [String: Member] = [:]

  subscript(userID: String) -> Member? { table[userID] }

  var ids: Set<String> { Set(table.keys) }
  var count: Int { table.count }
  var joinedCount: Int { table.values.count { $0.state == .joined } }

  /// Adds a member, or replaces its state.
  mutating func put(_ member: Member) { table[member.user.id] = member }

  mutating func remove(_ userID: String) { table[userID] = nil }

  /// Sets the position of a joined member to its own message.
  mutating func advance(_ userID: String, to ordinal: Int64, at createdAt: Int64) {
    guard table[userID]?.state == .joined else { return }
    table[userID]?.position.advance(to: ordinal, at: createdAt)
  }

  /// Notes a message of a joined member that does not move its position.
  mutating func countOwn(_ userID: String) {
    guard table[userID]?.state == .joined else { return }
    table[userID]?.position.ownAfter += 1
  }

  /// Raises the position to which the clients of a joined member have received messages.
  mutating func deliver(_ delivery: Delivery) {
    guard let member = table[delivery.userID], member.state == .joined else { return }
    table[delivery.userID]?.deliveredAt = max(member.deliveredAt, delivery.deliveredAt)
  }

  /// Keeps a group hidden for a member, whom a message must not concern.
  mutating func keepHidden(for userID: String, afterMessage ordinal: Int64) {
    table[userID]?.hiding.stay(afterMessage: ordinal)
  }

  /// Notes that a member's own message was deleted.
  mutating func forgetOwn(_ userID: String?, _ ordinal: Int64) {
    if let userID { table[userID]?.position.forgetOwn(ordinal) }
  }

  /// In the order in which they became members.
  func listed(_ users: MemoryLogUsers) -> [Member] {
    shown(users).sorted { first, second in
      (first.addedAt, first.user.id) < (second.addedAt, second.user.id)
    }
  }

  /// Operators in their order, then those who joined last.
  func sample(_ limit: Int, operatorIDs: [String], _ users: MemoryLogUsers) -> [Member] {
    let operators = operatorIDs.compactMap { table[$0] }.map { $0.shown(users) }
    let others = shown(users).filter { !operatorIDs.contains($0.user.id) }.sorted {
      (-$0.joinedAt, -$0.invitedAt, $0.user.id) < (-$1.joinedAt, -$1.invitedAt, $1.user.id)
    }
    return Array((operators + others).prefix(limit))
  }

  private func shown(_ users: MemoryLogUsers) -> [Member] {
    table.values.map { $0.shown(users) }
  }
}

extension Member {
  /// The time at which the user became a member, invited or joined.
  fileprivate var addedAt: Int64 { invitedAt > 0 ? invitedAt : joinedAt }

  /// The member with its current profile.
  func shown(_ users: MemoryLogUsers) -> Member {
    var shown = self
    shown.user = users[user.id] ?? User(id: user.id)
    shown.hidesReads = users.privateReaderIDs.contains(user.id)
    if state == .invited, let inviterID {
      shown.blocksInviter = users.blocks.contains(Block(by: user.id, of: inviterID))
    }
    return shown
  }
}
