internal import ParleyProtocol

/// The settings of group channels.
package struct GroupSettings: Sendable, Equatable {
  /// The number of members of the largest group in which others learn how far each has read; 0 for none.
  package var receiptMemberLimit = Limits.memberListCount
}
