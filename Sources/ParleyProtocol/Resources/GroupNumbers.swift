/// The numbers of a user over some or all of its groups.
package struct GroupNumbers: Sendable, Hashable {
  /// Messages that the user has not read, in groups whose messages it counts.
  package var unreadMessageCount: Int64
  /// Those of them that mention the user, in groups whose mentions it counts.
  package var unreadMentionCount: Int64
  /// Groups with unread messages.
  package var unreadChannelCount: Int64
  /// Open invitations.
  package var invitationCount: Int64

  package static let zero = GroupNumbers(
    unreadMessageCount: 0, unreadMentionCount: 0, unreadChannelCount: 0, invitationCount: 0)

  package init(
    unreadMessageCount: Int64, unreadMentionCount: Int64, unreadChannelCount: Int64,
    invitationCount: Int64
  ) {
    self.unreadMessageCount = unreadMessageCount
    self.unreadMentionCount = unreadMentionCount
    self.unreadChannelCount = unreadChannelCount
    self.invitationCount = invitationCount
  }

  /// The numbers over the groups of both.
  package static func + (one: GroupNumbers, other: GroupNumbers) -> GroupNumbers {
    GroupNumbers(
      unreadMessageCount: one.unreadMessageCount + other.unreadMessageCount,
      unreadMentionCount: one.unreadMentionCount + other.unreadMentionCount,
      unreadChannelCount: one.unreadChannelCount + other.unreadChannelCount,
      invitationCount: one.invitationCount + other.invitationCount)
  }

  init(_ reader: ResourceReader) throws(ResourceError) {
    unreadMessageCount = try reader.integer("unread_message_count")
    unreadMentionCount = try reader.integer("unread_mention_count")
    unreadChannelCount = try reader.integer("unread_channel_count")
    invitationCount = try reader.integer("invitation_count")
  }

  /// Writes the members of the result of `group.unread`.
  package func encode(into writer: inout JSONWriter) {
    writer.member("unread_message_count", unreadMessageCount)
    writer.member("unread_mention_count", unreadMentionCount)
    writer.member("unread_channel_count", unreadChannelCount)
    writer.member("invitation_count", invitationCount)
  }
}
