package import ParleyProtocol

/// The positions of members, read and received, that a caller sees.
package struct VisibleReceipts: Sendable {
  private let showsReads: Bool
  private let showsDeliveries: Bool
  private let mayBePrivate: Bool
  private let unstored: [String: Int64]

  /// - Parameters:
  ///   - memberCount: The number of members of the group, joined and invited.
  ///   - viewer: The caller as a member; `nil` for the Platform API.
  ///   - unstored: By user, ``Member/deliveredAt`` as far as the log may not have it.
  package init(
    of channel: Channel, with memberCount: Int, under rules: GroupRules, seenBy viewer: Member?,
    unstored: [String: Int64] = [:]
  ) {
    mayBePrivate = rules.allowsPrivateReads
    let isPrivate = mayBePrivate && viewer?.hidesReads == true
    let hasReceipts = rules.hasReceipts(in: channel, with: memberCount)
    showsReads = !isPrivate && hasReceipts
    showsDeliveries = rules.hasDeliveries && hasReceipts
    self.unstored = unstored
  }

  /// The `created_at` of the last message that a member has read, in Unix milliseconds; `nil` if the caller does
  /// not see it.
  package func readAt(of member: Member) -> Int64? {
    showsReads && isPublic(member) ? member.position.readAt : nil
  }

  /// The `created_at` of the last message that a client of a member has received, in Unix milliseconds; `nil` if
  /// the caller does not see it.
  ///
  /// Reading counts as receiving, unless the member keeps its reads to itself.
  package func deliveredAt(of member: Member) -> Int64? {
    guard showsDeliveries, member.state == .joined else { return nil }
    let received = max(member.deliveredAt, unstored[member.user.id] ?? 0)
    return isPublic(member) ? max(received, member.position.readAt) : received
  }

  /// Whether others may learn how far a member has read.
  private func isPublic(_ member: Member) -> Bool {
    member.state == .joined && (!mayBePrivate || !member.hidesReads)
  }
}

/// How far the joined members of a group have read, and how far their clients have received messages.
package struct GroupReceipts: Sendable, Hashable {
  /// By user: the `created_at` of the last message that it has read, 0 if the caller does not see it.
  package var read: [String: Int64] = [:]
  /// By user: the `created_at` of the last message that a client of it has received; empty without delivery
  /// receipts.
  package var delivered: [String: Int64] = [:]

  package init() {}
}
