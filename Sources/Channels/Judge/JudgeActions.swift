package import ParleyProtocol

/// A task of a channel's host for its judge.
package enum JudgeAction: Sendable {
  /// Submits an entry to the log.
  case submit(EntryID, LogEntry)
  /// Reads from the log.
  case read(EntryID, LogRead)
  case answer(CallID, Result<JudgeAnswer, ServiceError>)
  /// Lets later calls of its connection pass a call that waits for its time.
  case pass(CallID)
  /// Measures the time since the arrival of a message that is now durable: see
  /// ``MessageOrder/arrival``.
  case measure(since: Int64)
  /// Applies an event on the channel's stages, in this order.
  case publish(ChannelEvent)
  /// Posts an event of an ephemeral channel to the webhooks, since the log has no record of the event.
  case post(Event, from: EventOrigin)
  /// Notifies users who are not in the channel and do not block the author.
  case mention([String], by: MentionAuthor, notification: [UInt8])
  /// Notifies the connections of users that hear groups, of a group in which the users are not joined.
  case notify([String], notification: [UInt8])
  /// Notifies the connections of a joined member that hear the group, in the order of its events.
  case notifyMember(MemberNotice)
  /// Notes that a member has read messages of the group on one of its devices, or by sending one.
  case noteReading(userID: String)
  /// Notifies the connections of joined members that hear the group, in the order of its events.
  case notifyMembers(MembersNotice)
  /// Reports the numbers of members of a large group, in the order of its events.
  case reportMemberCount(Event.MemberCount)
  /// Looks up an addition to a message; the result arrives as ``JudgeInput/enriched(_:_:)``.
  case enrich(EnrichmentRequest)
  /// Asks the app's back end about a call; the verdict arrives as ``JudgeInput/hooked(_:_:)``.
  indirect case ask(HookQuestion)
  /// Counts the outcome of changes by the app's back end.
  case noteHook(HookName, HookOutcome)
  /// Hands an addition over to the next home of the channel.
  case handOver(LateAddition)
  /// Looks up the channel's limits again: its custom type has changed.
  case renewLimits
  /// Sends ``JudgeInput/deadline`` at a time in milliseconds of the steady clock.
  case wake(at: Int64)
  /// Discards the judge: the channel was deleted, or taken over by another judge.
  case release
}

/// The actions that result from inputs, in order, and their additions to the counts, in reused
/// memory.
package struct JudgeActions: Sendable {
  /// Memory for this many actions is kept.
  private static let keptCapacity = 256

  // An array, because appending to a deque copies an action instead of moving it.
  private var list: [JudgeAction] = []
  /// The place of the next action.
  private var place = 0
  private var tally = JudgeTally()
  private var hasCounts = false
  private var groupTally = GroupTally()
  private var hasGroupCounts = false

  package init() {}

  package var isEmpty: Bool { place == list.count }

  /// Removes and returns the next action.
  package mutating func next() -> JudgeAction? {
    guard !isEmpty else {
      list.removeAll(keepingCapacity: list.count <= Self.keptCapacity)
      place = 0
      return nil
    }
    // Moved, since actions are large.
    var action = JudgeAction.release
    swap(&action, &list[place])
    place += 1
    return action
  }

  /// Returns the counts since the last call; `nil` if there are none.
  package mutating func takeTally() -> JudgeTally? {
    guard hasCounts else { return nil }
    defer {
      tally = JudgeTally()
      hasCounts = false
    }
    return tally
  }

  /// Returns the counts of a group since the last call; `nil` if there are none.
  package mutating func takeGroupTally() -> GroupTally? {
    guard hasGroupCounts else { return nil }
    defer {
      groupTally = GroupTally()
      hasGroupCounts = false
    }
    return groupTally
  }

  mutating func append(_ action: consuming JudgeAction) {
    list.append(action)
  }

  mutating func answer(_ call: CallID?, _ outcome: consuming Result<JudgeAnswer, ServiceError>) {
    if let call { append(.answer(call, outcome)) }
  }

  mutating func answer(_ calls: [CallID], _ outcome: Result<JudgeAnswer, ServiceError>) {
    for call in calls { append(.answer(call, outcome)) }
  }

  mutating func count(_ body: (inout JudgeTally) -> Void) {
    hasCounts = true
    body(&tally)
  }

  mutating func countInGroup(_ outcome: WritableKeyPath<GroupTally, Int>, _ number: Int = 1) {
    guard number > 0 else { return }
    hasGroupCounts = true
    groupTally[keyPath: outcome] += number
  }
}

/// Counts of a judge's decisions.
package struct JudgeTally: Sendable, Hashable {
  /// Refused sends, by reason.
  package var refused = Refusals()
  package var accepted = 0
  package var repeated = 0
  /// Sends that the log failed to write.
  package var failed = 0
  package var updated = 0
  package var deleted = 0
  package var previewsAttached = 0
  package var previewsUpdated = 0
  package var previewsNone = 0
  /// Messages that received thumbnails after publication.
  package var thumbnailsLate = 0
  /// Messages that received translations after publication.
  package var translationsLate = 0

  package init() {}

  package struct Refusals: Sendable, Hashable {
    package var flood = 0
    package var banned = 0
    package var notInChannel = 0
    package var frozen = 0
    package var muted = 0
    package var filtered = 0
    package var invalid = 0
  }

  /// Counts an addition that arrived after its message was published.
  mutating func countLate(_ enrichment: Enrichment) {
    switch enrichment {
    case .preview: previewsUpdated += 1
    case .thumbnails: thumbnailsLate += 1
    case .translations: translationsLate += 1
    }
  }

  /// Counts a refused send.
  mutating func countRefusal(_ error: ServiceError) {
    if error.code == .flood {
      refused.flood += 1
    } else if error.code == .banned {
      refused.banned += 1
    } else if error.code == .notInChannel {
      refused.notInChannel += 1
    } else if error.code == .frozen {
      refused.frozen += 1
    } else if error.code == .muted {
      refused.muted += 1
    } else if error.code == .filtered {
      refused.filtered += 1
    } else {
      refused.invalid += 1
    }
  }
}
