package import ParleyProtocol

/// Reads a member's choice of the messages of a group that are pushed.
///
/// Errors: `notFound(.channel)`, and `notFound(.member)` for a user who has not joined the group.
package struct ChannelPushTriggerLookup: StoreLookup {
  package var userID: String
  package var channelURL: String

  package init(of userID: String, channelURL: String) {
    self.userID = userID
    self.channelURL = channelURL
  }

  package var statements: ReadStatements<ChannelPushTriggerOption> {
    .init { try $0.pushTrigger(of: userID, inGroup: channelURL).option }
  }
}

/// Changes a member's choice of the messages of a group that are pushed.
///
/// Outcome: the new choice. Errors: as for ``ChannelPushTriggerLookup``.
package struct ChannelPushTriggerUpdate: StoreWrite {
  package var option: ChannelPushTriggerOption
  package var userID: String
  package var channelURL: String

  package init(_ option: ChannelPushTriggerOption, of userID: String, channelURL: String) {
    self.option = option
    self.userID = userID
    self.channelURL = channelURL
  }

  package var urgency: WriteUrgency { .aside }
  package var statements: WriteStatements<ChannelPushTriggerOption> {
    .init { transaction in
      let old = try transaction.pushTrigger(of: userID, inGroup: channelURL)
      guard old.option != option else { return option }
      let count = try transaction.connection.change(
        """
        UPDATE members SET push_trigger = ?
        WHERE channel_id = ? AND user_id = ? AND state = \(MemberState.joined.stored)
        """, [option.stored, old.channelID, userID])
      guard count > 0 else { throw StoreError.notFound(.member) }
      return option
    }
  }
}

extension StoreTransaction {
  fileprivate func pushTrigger(
    of userID: String, inGroup url: String
  ) throws -> (channelID: Int64, option: ChannelPushTriggerOption) {
    let found = try connection.first(
      """
      SELECT channels.channel_id, members.push_trigger FROM channels
      LEFT JOIN members ON members.channel_id = channels.channel_id AND members.user_id = ?
        AND members.state = \(MemberState.joined.stored)
      WHERE channels.url = ?
      """, [userID, url]
    ) { (channelID: $0[0] as Int64, stored: $0[1] as Int?) }
    guard let found else { throw StoreError.notFound(.channel) }
    guard let stored = found.stored else { throw StoreError.notFound(.member) }
    return (found.channelID, ChannelPushTriggerOption(stored: stored))
  }
}

extension ChannelPushTriggerOption {
  var stored: Int {
    switch self {
    case .default: 0
    case .all: 1
    case .mentionOnly: 2
    case .off: 3
    }
  }

  init(stored: Int) { self = Self.allCases.first { $0.stored == stored } ?? .default }
}
