package import ParleyProtocol

/// A channel with everything that the server stores about it except its messages.
package struct ChannelState: Sendable, Hashable {
  /// The log's own number of the channel; never reused after its deletion.
  package var id: Int64
  /// With the operators' profiles, in the order in which they became operators.
  package var channel: Channel
  /// Identifies the life of the channel's event count.
  package var epoch: String
  /// Increased each time the channel is taken over: see ``MessageLog``.
  package var term: Int64
  /// `seq` of the last durable event; 0 if there was none.
  package var lastSeq: Int64
  /// The largest `created_at` of its messages ever, including deleted ones; 0 if there was none.
  package var lastCreatedAt: Int64
  /// The number of countable messages that the group has ever had; 0 for an open channel.
  package var lastOrdinal: Int64 = 0
  /// The last countable message of the group that has expired; 0 if none has.
  package var floorOrdinal: Int64 = 0
  /// The ordinals of messages in the history of a joined member that are unread for no member: deleted ones,
  /// and those with a ``UnsequencedMessage/blockerID``.
  package var uncounted = OrdinalSet()
  /// The members of a group, in the order in which they became members; none of an open channel.
  package var members: [Member] = []
  /// By user; may include restrictions that have ended.
  package var bans: [String: Restriction]
  /// By user; may include restrictions that have ended.
  package var mutes: [String: Restriction]
  /// The channel's own limit of spam-flood protection.
  package var floodOverride: LimitOverride?
  /// The channel's own limit of smart throttling.
  package var throttleOverride: LimitOverride?
  /// Whether a legal hold keeps all messages.
  package var isHeld = false

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

  /// The channel's own retention of messages.
  package var retention: ChannelRetention {
    ChannelRetention(survivalSeconds: channel.survivalSeconds, isHeld: isHeld)
  }

  /// The channel as identified in writes.
  package var place: LogChannel { LogChannel(id: id, url: channel.url, term: term) }

  /// See ``OwnChangeFacts/last``.
  package var lastPlace: MessagePlace {
    MessagePlace(ordinal: lastOrdinal, createdAt: lastCreatedAt)
  }

  /// The last message before the histories of all joined members; `nil` if there is no later one.
  ///
  /// A member may put its position back to the beginning of its history.
  package var lowestFloor: Int64? {
    let floors = members.lazy.filter { $0.state == .joined }.map(\.position.floor)
    return floors.min().flatMap { $0 < lastOrdinal ? $0 : nil }
  }
}

/// A user's ban from a channel, or mute in it, for a limited time.
package struct Restriction: Sendable, Hashable {
  package var userID: String
  /// Unix milliseconds.
  package var startsAt: Int64
  /// Unix milliseconds, the first moment after the restriction.
  package var endsAt: Int64
  package var description: String

  package init(userID: String, startsAt: Int64, endsAt: Int64, description: String = "") {
    self.userID = userID
    self.startsAt = startsAt
    self.endsAt = endsAt
    self.description = description
  }

  /// The full duration.
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
  /// The maximum number of messages in any window; 0 turns the limit off.
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

/// The kind of a limit.
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

/// The limits and word filters that are set for more than one channel.
package struct LimitOverrides: Sendable, Hashable {
  package var deployment: [LimitKind: LimitOverride] = [:]
  package var customTypes: [String: [LimitKind: LimitOverride]] = [:]
  package var wordFilters = WordFilterSet()

  package init() {}
}
