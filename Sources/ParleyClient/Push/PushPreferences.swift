internal import ParleyProtocol

/// The messages of groups that are pushed to the current user.
public enum PushTriggerOption: String, Sendable, Hashable, Codable {
  /// All messages.
  case all
  /// Messages that mention the user.
  case mentionOnly = "mention_only"
  /// None.
  case off

  init(_ option: ParleyProtocol.PushTriggerOption) {
    self =
      switch option {
      case .all: .all
      case .mentionOnly: .mentionOnly
      case .off: .off
      }
  }
}

/// The messages of one group that are pushed to the current user.
public enum GroupChannelPushTriggerOption: String, Sendable, Hashable, Codable {
  /// Those of the user's ``PushTriggerOption``.
  case `default`
  /// All messages.
  case all
  /// Messages that mention the user.
  case mentionOnly = "mention_only"
  /// None.
  case off

  init(_ option: ChannelPushTriggerOption) {
    self =
      switch option {
      case .default: .default
      case .all: .all
      case .mentionOnly: .mentionOnly
      case .off: .off
      }
  }
}

/// The text that pushes show.
public enum PushTemplate: String, Sendable, Hashable, Codable {
  /// The text of the message.
  case `default`
  /// A text of the server instead of the message.
  case alternative

  init(_ template: ParleyProtocol.PushTemplate) {
    self =
      switch template {
      case .default: .default
      case .alternative: .alternative
      }
  }
}

/// The part of each day in which nothing is pushed to the current user.
public struct DoNotDisturb: Sendable, Hashable {
  /// Whether the part of the day is in force.
  public let isEnabled: Bool
  /// The hour of the beginning, 0 to 23.
  public let startHour: Int
  /// The minute of the beginning, 0 to 59.
  public let startMin: Int
  /// The hour of the end, 0 to 23.
  public let endHour: Int
  /// The minute of the end, 0 to 59.
  public let endMin: Int
  /// The IANA time zone of the hours, such as `Europe/Berlin`.
  public let timezone: String

  init(_ preferences: ParleyProtocol.PushPreferences) {
    isEnabled = preferences.doNotDisturb
    startHour = preferences.window.start / 60
    startMin = preferences.window.start % 60
    endHour = preferences.window.end / 60
    endMin = preferences.window.end % 60
    timezone = preferences.timeZone
  }
}

/// A period in which nothing is pushed to the current user.
public struct SnoozePeriod: Sendable, Hashable {
  /// Whether the period is in force.
  public let isEnabled: Bool
  /// The beginning in Unix milliseconds.
  public let startTimestamp: Int64
  /// The end in Unix milliseconds.
  public let endTimestamp: Int64

  init(_ preferences: ParleyProtocol.PushPreferences) {
    isEnabled = preferences.isSnoozeEnabled
    startTimestamp = preferences.snoozeStart
    endTimestamp = preferences.snoozeEnd
  }
}
