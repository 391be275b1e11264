/// Counts of what a judge has done for the members of a group.
///
/// Apart from ``JudgeTally``, which is copied with every message of every channel.
package struct GroupTally: Sendable, Hashable {
  package var reads = Reads()
  package var invitations = Invitations()
  package var typing = Typing()
  package var deliveries = Deliveries()
  /// Read positions that were sent to the other members.
  package var receipts = 0
  /// Positions of received messages that were sent to the other members.
  package var deliveryReceipts = 0

  package init() {}

  /// Calls that mark messages as read, by their effect on the position of the member.
  package struct Reads: Sendable, Hashable {
    package var moved = 0
    /// Those whose message was read before.
    package var same = 0
    /// Those that were too many in a second, and were carried out later, some as one.
    package var late = 0
  }

  /// Calls that mark messages as delivered, by their effect on the position of the member.
  package struct Deliveries: Sendable, Hashable {
    package var moved = 0
    /// Those whose message was delivered or read before.
    package var same = 0
  }

  /// Users whom others have added to the group.
  package struct Invitations: Sendable, Hashable {
    package var invited = 0
    /// Users who joined without being asked.
    package var joined = 0
    package var accepted = 0
    package var declined = 0
    /// Invitations that were ended by an operator, a ban, or the deletion of the user.
    package var withdrawn = 0
  }

  /// Calls about typing, by their effect.
  package struct Typing: Sendable, Hashable {
    package var started = 0
    package var extended = 0
    package var stopped = 0
    /// Those of members who may not send, or who were not typing.
    package var ignored = 0
  }
}
