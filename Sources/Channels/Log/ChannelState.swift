package import ParleyProtocol

/// A channel with all that the server keeps of it beside its messages.
package struct ChannelState: Sendable, Hashable {
  /// The log's own number of the channel; never used again after its deletion.
  package var id: Int64
  /// With the operators' profiles, in the order in which they became operators.
  package var channel: Channel
  /// Names the life of the channel's event count.
  package var epoch: String
  /// Raised each time that the channel is taken over: see ``MessageLog``.
  package var term: Int64
  /// `seq` of the last durable event; 0 when there was none.
  package var lastSeq: Int64
  /// The largest `created_at` of its messages ever, deleted ones included; 0 when there was none.
  package var lastCreatedAt: Int64
  /// By user; may hold some that have ended.
  package var bans: [String: Restriction]
  /// By user; may hold some that have ended.
  package var mutes: [String: Restriction]
  /// The channel's own limit of spam-flood protection.
  package var floodOverride: LimitOverride?
  /// The channel's own limit of smart throttling.
  package var throttleOverride: LimitOverride?

  package init(
    id: Int64, channel: Channel, epoch: String, term: Int64 = 0, lastSeq: Int64 = 0,
    lastCreatedAt: Int64 = 0, bans: [String: Restriction] = [:],
    mutes: [String: Restriction] = [:], floodOverride: LimitOverride? = nil,
    throttleOverride: LimitOverride? = nil
  ) {
    self.id = id
    self.channel = channel
    self.epoch = epoch
    self.term = term
    self.lastSeq = lastSeq
    self.lastCreatedAt = lastCreatedAt
    self.bans = bans
    self.mutes = mutes
    self.floodOverride = floodOverride
    self.throttleOverride = throttleOverride
  }

  /// The channel as writes name it.
  package var place: LogChannel { LogChannel(id: id, url: channel.url, term: term) }
}

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

/// A limit set for the deployment, a custom type or a channel, in place of a more general one.
package struct LimitOverride: Sendable, Hashable {
  /// Most messages in any window; 0 turns the limit off.
  package var messages: Int
  package var windowMilliseconds: Int64

  package init(messages: Int, windowMilliseconds: Int64) {
    self.messages = messages
    self.windowMilliseconds = windowMilliseconds
  }

  package init?(messages: Int?, windowMilliseconds: Int64?) {
    guard let messages, let windowMilliseconds else { return nil }
    self.init(messages: messages, windowMilliseconds: windowMilliseconds)
  }
}

/// Which limit.
package enum LimitKind: String, Sendable, CaseIterable {
  /// Spam-flood protection.
  case flood
  /// Smart throttling.
  case throttle
}

/// The scope of a limit.
package enum LimitScope: Sendable, Hashable {
  case deployment
  case customType(String)
  /// By URL.
  case channel(String)
}

/// The limits that are set for more than one channel.
package struct LimitOverrides: Sendable, Hashable {
  package var deployment: [LimitKind: LimitOverride] = [:]
  package var customTypes: [String: [LimitKind: LimitOverride]] = [:]

  package init() {}
}
