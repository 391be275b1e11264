internal import ParleyProtocol

/// Whether a user has hidden a group from its lists.
public enum GroupChannelHiddenState: Sendable, Hashable {
  /// The group is shown.
  case unhidden
  /// The group is hidden until the next message.
  case hiddenAllowAutoUnhide
  /// The group is archived: hidden until the user shows it.
  case hiddenPreventAutoUnhide

  init(_ state: HiddenState) {
    self =
      switch state {
      case .unhidden: .unhidden
      case .hiddenAllowAutoUnhide: .hiddenAllowAutoUnhide
      case .hiddenPreventAutoUnhide: .hiddenPreventAutoUnhide
      }
  }
}

/// The numbers of unread messages of a group that a user wants to know.
public enum CountPreference: Sendable, Hashable {
  /// Messages, and messages that mention the user.
  case all
  /// Messages only.
  case unreadMessageCountOnly
  /// Messages that mention the user only.
  case unreadMentionCountOnly
  /// None.
  case off

  init(_ preference: ParleyProtocol.CountPreference) {
    self =
      switch preference {
      case .all: .all
      case .messagesOnly: .unreadMessageCountOnly
      case .mentionsOnly: .unreadMentionCountOnly
      case .off: .off
      }
  }

  /// The value on the wire.
  var wireValue: ParleyProtocol.CountPreference {
    switch self {
    case .all: .all
    case .unreadMessageCountOnly: .messagesOnly
    case .unreadMentionCountOnly: .mentionsOnly
    case .off: .off
    }
  }
}
