import ParleyProtocol

/// The users of a `MemoryLog`.
struct MemoryLogUsers: Sendable {
  /// By id, as they are now.
  var profiles: [String: User]
  /// The users who do not join a group when they are invited.
  var askedIDs: Set<String> = []
  var deactivatedIDs: Set<String> = []

  init(_ users: [User]) {
    profiles = Dictionary(users.map { ($0.id, $0) }) { first, _ in first }
  }

  subscript(id: String) -> User? { profiles[id] }

  /// The existing users among these, each once, in the given order.
  func existing(_ ids: [String]) -> [User] {
    ids.withoutRepetitions().compactMap { profiles[$0] }
  }

  /// The members that an invitation makes of users, each once, in the given order, with their profiles.
  ///
  /// - Parameter visibleFrom: Of those who join at once.
  func members(
    inviting ids: [String], by inviter: User?, visibleFrom: Int64, at time: Int64
  ) throws(LogError) -> [Member] {
    var members: [Member] = []
    for id in ids.withoutRepetitions() {
      guard let user = profiles[id] else { throw .noUser(id) }
      guard !deactivatedIDs.contains(id) else { throw .deactivated(id) }
      let joins = !askedIDs.contains(id)
      members.append(
        Member(
          user: user, state: joins ? .joined : .invited, inviterID: inviter?.id, invitedAt: time,
          joinedAt: joins ? time : 0, visibleFrom: joins ? visibleFrom : 0))
    }
    return members
  }
}
