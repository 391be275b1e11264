package import FloodControl
package import LinkPreview
package import ParleyProtocol

/// An input of the judge of a channel.
package enum JudgeInput: Sendable {
  /// - `call`: The call that awaits the answer; each call is answered once.
  case command(ChannelCommand, by: Principal, call: CallID)
  /// An old message that a back end imports.
  indirect case importing(MessageImport, call: CallID)
  /// The answer of the log to an entry or a read.
  case logged(EntryID, LogResult)
  /// The end of an enrichment; `nil` if there is nothing to add.
  case enriched(EnrichmentID, Enrichment?)
  /// The verdict on a call that the app's back end was asked about.
  indirect case hooked(HookID, HookVerdict)
  /// An addition that a previous home requested.
  indirect case handedOver(LateAddition)
  /// A part of an enrichment that is still in progress.
  case progressed(EnrichmentID, Enrichment)
  /// A connection with waiting sends has left the channel; a closed connection has not left.
  case exited(SessionAddress)
  /// Sends may no longer wait.
  case endWaiting(WaitingEnd)
  /// A user's first connection has entered the channel.
  case entered(userID: String)
  /// A user's last connection has left the channel.
  case left(userID: String)
  /// The channel's flood limit has changed.
  case floodLimitChanged(RateLimit)
  /// The filter for the texts of users was changed; `nil` for none.
  case wordFilterChanged(WordFilter?)
  /// The channel's own retention of messages was changed in the log.
  case retentionChanged(ChannelRetention)
  /// A user now blocks another one.
  case blocked(Block)
  /// A user no longer blocks another one.
  case unblocked(Block)
  /// A user keeps to itself how far it has read, or no longer.
  case readPrivacyChanged(userID: String, hidesReads: Bool)
  /// The log has deleted a user with its mutes and bans.
  case restrictionsRemoved(of: String)
  /// The group was just created: its first events, about its members, are published.
  indirect case created([Member])
  /// The channel's metadata was changed in the log.
  case metadataChanged([String: String])
  /// The time of the last ``JudgeAction/wake(at:)`` has come.
  case deadline
}

extension JudgeInput {
  /// The call that awaits an answer; `nil` for an input that is not a command.
  var call: CallID? {
    switch self {
    case .command(_, _, let call), .importing(_, let call): call
    case .logged, .enriched, .hooked, .handedOver, .progressed, .exited, .endWaiting, .entered,
      .left,
      .floodLimitChanged, .wordFilterChanged, .retentionChanged, .blocked, .unblocked,
      .readPrivacyChanged,
      .restrictionsRemoved, .created, .metadataChanged,
      .deadline:
      nil
    }
  }
}

/// An old message with its own time, which a back end imports.
package struct MessageImport: Sendable {
  package let order: MessageOrder
  /// Unix milliseconds.
  package let createdAt: Int64
  /// `nil` for an admin message.
  package let author: User?

  package init(_ order: MessageOrder, createdAt: Int64, author: User?) {
    self.order = order
    self.createdAt = createdAt
    self.author = author
  }
}

/// The reason why the sends of a channel stop waiting.
package enum WaitingEnd: Sendable {
  /// The server stops: all sends are submitted with the additions that have arrived.
  case drain
  /// Another server is the home of the channel, and will receive the sends.
  case move
}

/// The limits on waiting sends, over all channels of the server.
package struct SendWaits: Sendable {
  /// The maximum time that a send waits for additions; with 0 no send waits.
  package let milliseconds: Int64
  /// Counts a send that should wait, by its bytes; returns whether it may wait.
  package let admit: @Sendable (Int) -> Bool
  /// Removes a send from the count, by its bytes and the milliseconds that it has waited.
  package let end: @Sendable (Int, Int64) -> Void

  package init(
    milliseconds: Int64, admit: @escaping @Sendable (Int) -> Bool,
    end: @escaping @Sendable (Int, Int64) -> Void
  ) {
    self.milliseconds = milliseconds
    self.admit = admit
    self.end = end
  }

  /// No send waits.
  package static let none = SendWaits(milliseconds: 0, admit: { _ in false }, end: { _, _ in })
}

/// The parts of the server that a judge calls synchronously.
package struct JudgeSources: Sendable {
  /// Returns the next message id for a time in Unix milliseconds: larger than all earlier ids.
  package let nextMessageID: @Sendable (Int64) -> Int64
  /// Looks up a link in the preview cache for an author (`nil`: the Platform API); `nil` if
  /// previews are off.
  package let lookUpPreview: (@Sendable (Link, String?) -> LinkKnowledge)?
  /// Looks up a text in some languages; `nil` if there is no translator.
  package let lookUpTranslations: (@Sendable (String, [String]) -> TranslationKnowledge)?
  package let waits: SendWaits
  /// The calls that the app's back end is asked about; `nil` for none.
  package let hooks: JudgeHooks?
  /// Returns those of some users who have a session.
  package let onlineUsers: @Sendable ([String]) -> Set<String>
  /// Returns the rules by which messages are removed now.
  package let retentionRules: @Sendable () -> RetentionRules
  package let metaArrayLimits: MetaArrayLimits
  /// Returns the rules for members that hold now.
  package let groupRules: @Sendable () -> GroupRules
  /// The filter for the texts of users; `nil` for none.
  package var wordFilter: WordFilter?

  package init(
    nextMessageID: @escaping @Sendable (Int64) -> Int64,
    lookUpPreview: (@Sendable (Link, String?) -> LinkKnowledge)?,
    lookUpTranslations: (@Sendable (String, [String]) -> TranslationKnowledge)? = nil,
    waits: SendWaits = .none, hooks: JudgeHooks? = nil,
    onlineUsers: @escaping @Sendable ([String]) -> Set<String> = { _ in [] },
    retentionRules: @escaping @Sendable () -> RetentionRules = { RetentionRules() },
    metaArrayLimits: MetaArrayLimits = MetaArrayLimits(),
    groupRules: @escaping @Sendable () -> GroupRules = { GroupRules() },
    wordFilter: WordFilter? = nil
  ) {
    self.wordFilter = wordFilter
    self.groupRules = groupRules
    self.retentionRules = retentionRules
    self.metaArrayLimits = metaArrayLimits
    self.lookUpTranslations = lookUpTranslations
    self.waits = waits
    self.hooks = hooks
    self.onlineUsers = onlineUsers
    self.nextMessageID = nextMessageID
    self.lookUpPreview = lookUpPreview
  }
}

/// The count of a channel's durable events, and the times of its messages.
struct EventCount: Sendable {
  /// The number of the last event that was published.
  private(set) var last: Int64
  /// The number of the last event recorded by the log: the same, except in an ephemeral channel,
  /// whose own count exists in memory only.
  private(set) var recorded: Int64
  private var times: MessageTimes
  /// The number of countable messages that a group has ever had.
  private(set) var lastOrdinal: Int64
  private let isEphemeral: Bool

  /// - Parameter now: The steady time at which the channel was loaded.
  init(_ state: ChannelState, at now: Int64) {
    isEphemeral = state.channel.isEphemeral
    last = isEphemeral ? 0 : state.lastSeq
    recorded = state.lastSeq
    lastOrdinal = state.lastOrdinal
    times = MessageTimes(last: state.lastCreatedAt, at: now)
  }

  /// The `created_at` that a message accepted now would get: it never decreases.
  func nextCreatedAt(at now: Moment) -> Int64 { times.next(at: now) }

  /// A time after that of every earlier message, and not after that of any later one.
  mutating func reserveTime(at now: Moment) -> Int64 { times.reserve(at: now) }

  /// The `created_at` of a message accepted now.
  mutating func createdAt(at now: Moment) -> Int64 { times.take(at: now) }

  /// Applies the `created_at` of an imported message.
  ///
  /// - Throws: 400113 unless it is in the past, and not before an earlier message.
  mutating func take(imported createdAt: Int64, at now: Moment) throws(ServiceError) {
    try times.take(imported: createdAt, at: now)
  }

  /// Numbers an event that the log has recorded under its own number.
  mutating func number(_ seq: Int64) -> Int64 {
    recorded = max(recorded, seq)
    guard isEphemeral else {
      last = max(last, seq)
      return seq
    }
    return next()
  }

  /// Numbers a message of a group, as the log does.
  mutating func nextOrdinal() -> Int64 {
    lastOrdinal += 1
    return lastOrdinal
  }

  /// Numbers an event that the log does not keep.
  mutating func next() -> Int64 {
    last += 1
    return last
  }
}
