package import ParleyProtocol

/// That a user is banned from a channel, or muted in it, for a time.
package struct Restriction: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds.
  package var startsAt: Int64
  /// Unix milliseconds, the first moment at which it holds no longer.
  package var endsAt: Int64
  package var description: String

  package init(userID: String, startsAt: Int64, endsAt: Int64, description: String = "") {
    self.userID = userID
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.description = description
  }

  /// Its whole length.
  package var seconds: Int64 {
    let duration = endsAt.subtractingReportingOverflow(startsAt)
    return duration.overflow ? .max : max(0, duration.partialValue) / 1_000
  }
}

/// The kind of a restriction.
package enum RestrictionKind: String, Sendable {
  /// Be in the channel.
  case ban
  /// Send to it.
  case mute
}

extension Event {
  /// A restriction was put on a user.
  package static func imposed(
    _ kind: RestrictionKind, _ restriction: Channels.Restriction, on user: User
  ) -> Event {
    let details = Restriction(
      user: user, seconds: restriction.seconds, description: restriction.description)
    return switch kind {
    case .ban: .userBanned(details)
    case .mute: .userMuted(details)
    }
  }

  /// A restriction of a user was lifted.
  package static func lifted(_ kind: RestrictionKind, from user: User) -> Event {
    switch kind {
    case .ban: .userUnbanned(Release(user: user))
    case .mute: .userUnmuted(Release(user: user))
    }
  }
}
