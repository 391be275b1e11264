internal import ParleyProtocol

extension SettingsTable {
  /// Settings for group channels.
  static let groups: [SettingDefinition] = [
    .integer(
      "groups.max_members", .reload, \.groups.maxMembers, in: 2...1_000,
      unit: "a number of members", help: "Members of a group, joined and invited."),
    .integer(
      "groups.max_super_members", .reload, \.groups.maxSuperMembers, in: 2...100_000,
      unit: "a number of members", help: "Members of a super group, joined and invited."),
    .integer(
      "groups.max_joined", .reload, \.groups.maxJoined, in: 1...Limits.joinedGroupCount,
      unit: "a number of groups",
      help: "Groups that a user may have joined. A user who is added to more is invited instead."),
    .integer(
      "groups.max_invited", .reload, \.groups.maxInvited, in: 1...10_000,
      unit: "a number of groups",
      help: "Open invitations of a user. A user with this many is not invited to more groups."),
    .integer(
      "groups.invites_per_minute", .reload, \.groups.invitesPerMinute, in: 0...1_000_000,
      unit: "a number of users",
      help: "Users that a user may add to groups per minute. 0 means unlimited."),
    .integer(
      "groups.created_per_minute", .reload, \.groups.createdPerMinute, in: 0...100_000,
      unit: "a number of groups",
      help: "Groups that a user may create per minute. 0 means unlimited."),
    .toggle(
      "groups.auto_accept", .reload, \.groups.autoAccept,
      help: "Let users who have not chosen join a group as soon as they are invited."),
    .choice(
      "groups.invite_by", .reload, \.groups.inviteBy,
      help: "Users who may invite others to a group: all members, or only operators."),
    .toggle(
      "groups.display_past_message", .reload, \.groups.displaysPastMessages,
      help: "Show the messages before to members who join later."),
    .integer(
      "groups.receipts_members", .reload, \.groups.receiptMemberLimit,
      in: 0...Limits.memberListCount, unit: "a number of members",
      help:
        "Members of the largest group in which others learn how far each has read. 0 disables read receipts."
    ),
    .toggle(
      "groups.delivery_receipts", .reload, \.groups.hasDeliveryReceipts,
      help:
        "Let members of groups with read receipts learn how far the clients of others have received messages."
    ),
    .toggle(
      "groups.private_reads", .reload, \.groups.allowsPrivateReads,
      help: "Let users keep to themselves how far they have read groups."),
    .integer(
      "groups.totals_ms", .reload, \.groups.totalsMilliseconds, in: 100...600_000,
      unit: "milliseconds",
      help: "Milliseconds between events about the numbers over all groups of a user."),
    .integer(
      "groups.delete_empty_after_days", .reload, \.groups.deleteEmptyAfterDays, in: 0...36_500,
      unit: "days", help: "Days after which a group without members is deleted. 0 means never."),
  ]
}
