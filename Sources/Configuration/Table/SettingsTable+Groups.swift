internal import ParleyProtocol

extension SettingsTable {
  /// Settings for group channels.
  static let groups: [SettingDefinition] = [
    .integer(
      "groups.receipts_members", .restart, \.groups.receiptMemberLimit,
      in: 0...Limits.memberListCount, unit: "a number of members",
      help:
        "Members of the largest group in which others learn how far each has read. 0 disables read receipts."
    )
  ]
}
