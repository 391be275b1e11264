import ParleyProtocol

/// Blocks between the members of a group of two.
///
/// The log reports those that exist when it reads the group or changes its members
/// (``Group/blockerIDs``). Later ones are inputs of the judge, so that no message needs a look-up in the log.
extension Rights {
  /// The other member of a group of two, if it blocks a user.
  func blockerID(of userID: String) -> String? {
    guard let group = channel.group, !group.blockerIDs.isEmpty else { return nil }
    return group.blockerIDs.first { $0 != userID }
  }

  /// Notes that a user blocks another one; of no effect unless both are the only members.
  mutating func add(_ block: Block) {
    guard isBetweenAllMembers(block), var group = channel.group else { return }
    group.blockerIDs.insert(block.blockerID)
    apply(group)
  }

  /// Notes that a user no longer blocks another one.
  mutating func remove(_ block: Block) {
    guard isBetweenAllMembers(block), var group = channel.group else { return }
    group.blockerIDs.remove(block.blockerID)
    apply(group)
  }

  private func isBetweenAllMembers(_ block: Block) -> Bool {
    guard let members, members.count == 2 else { return false }
    return members[block.blockerID] != nil && members[block.blockedID] != nil
  }
}
