import ParleyProtocol

/// The users of a `MemoryLog`.
struct MemoryLogUsers: Sendable {
  /// By id, as they are now.
  var profiles: [String: User]
  /// Whether users join a group as soon as they are invited, as far as they have chosen.
  var acceptance: [String: Bool] = [:]
  var deactivatedIDs: Set<String> = []
  var blocks: Set<Block> = []
  /// The users who keep to themselves how far they have read.
  var privateReaderIDs: Set<String> = []

  init(_ users: [User]) {
    profiles = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
  }

  subscript(id: String) -> User? { profiles[id] }

  /// The existing users among these, each once, in the given order.
  func existing(_ ids: [String]) -> [User] {
    ids.withoutRepetitions().compactMap { profiles[$0] }
  }

  /// See ``Group/blockerIDs``.
  func blockerIDs(among ids: Set<String>) -> Set<String> {
    guard ids.count == 2 else { return [] }
    return ids.filter { id in ids.contains { blocks.contains(Block(by: id, of: $0)) } }
  }

  /// The members that an invitation makes of users, each once, in the given order, with their profiles.
  ///
  /// - Parameter history: Of those who join at once.
  func members(
    inviting ids: [String], by inviter: User?, under rules: GroupRules, history: NewHistory,
    at time: Int64
  ) throws(LogError) -> [Member] {
    var members: [Member] = []
    for id in ids.withoutRepetitions() {
      guard let user = profiles[id] else { throw .noUser(id) }
      guard !deactivatedIDs.contains(id) else { throw .deactivated(id) }
      let blocksInviter = inviter.map { blocks.contains(Block(by: id, of: $0.id)) } ?? false
      let joins = !blocksInviter && (acceptance[id] ?? rules.acceptsInvitations)
      members.append(
        Member(
          user: user, state: joins ? .joined : .invited, inviterID: inviter?.id, invitedAt: time,
          joinedAt: joins ? time : 0, visibleFrom: joins ? history.visibleFrom : 0,
          position: joins ? history.position : ReadPosition(), blocksInviter: blocksInviter))
    }
    return members
  }
}
