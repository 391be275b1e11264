package import ParleyProtocol

/// A thing that the host of a channel does for its judge.
package enum JudgeAction: Sendable {
  /// Submits an entry to the log.
  case submit(EntryID, LogEntry)
  /// Asks the log.
  case read(EntryID, LogRead)
  case answer(CallID, Result<JudgeAnswer, ServiceError>)
  /// Measures the time since the arrival of a message that is durable now: see
  /// ``MessageOrder/arrival``.
  case measure(since: Int64)
  /// Applies an event on the channel's stages, in this order.
  case publish(ChannelEvent)
  /// Posts an event of an ephemeral channel to the webhooks: the log has no record of it.
  case post(Event, from: EventOrigin)
  /// Notifies users who are not in the channel, on the account of the sender if one is named.
  case mention([String], by: String?, notification: [UInt8])
  /// Looks for an addition to a message; ``JudgeInput/enriched(_:_:)`` brings it.
  case enrich(EnrichmentRequest)
  /// Hands an addition over to the home that has followed this one.
  case handOver(LateAddition)
  /// Looks the channel's limits up anew: its custom type has changed.
  case renewLimits
  /// Sends ``JudgeInput/deadline`` at a time, steady milliseconds.
  case wake(at: Int64)
  /// Forgets the channel: it was deleted, or another judge has taken it over.
  case release
}

/// The actions that inputs have led to, in order, and what they add to the counts; in memory that is
/// reused.
package struct JudgeActions: Sendable {
  /// Memory for this many actions is kept.
  private static let keptCapacity = 256

  private var list: [JudgeAction] = []
  /// The place of the next action to be taken out; those before it are spent.
  private var head = 0
  private var tally = JudgeTally()
  private var hasCounts = false

  package init() {}

  package var isEmpty: Bool { head == list.count }

  /// Takes the next action out.
  package mutating func next() -> JudgeAction? {
    guard head < list.count else {
      list.removeAll(keepingCapacity: list.count <= Self.keptCapacity)
      head = 0
      return nil
    }
    // Moved, for actions are large.
    var action = JudgeAction.release
    swap(&action, &list[head])
    head += 1
    return action
  }

  /// Takes the counts since they were taken last; `nil` when there are none.
  package mutating func takeTally() -> JudgeTally? {
    guard hasCounts else { return nil }
    defer {
      tally = JudgeTally()
      hasCounts = false
    }
    return tally
  }

  mutating func append(_ action: consuming JudgeAction) { list.append(action) }

  mutating func answer(_ call: CallID?, _ outcome: consuming Result<JudgeAnswer, ServiceError>) {
    if let call { list.append(.answer(call, outcome)) }
  }

  mutating func count(_ body: (inout JudgeTally) -> Void) {
    hasCounts = true
    body(&tally)
  }
}

/// Counts of what a judge has decided.
package struct JudgeTally: Sendable, Hashable {
  /// Sends refused, by the reason.
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
  /// Messages that were given thumbnails after they were published.
  package var thumbnailsLate = 0
  /// Messages that were given translations after they were published.
  package var translationsLate = 0

  package init() {}

  package struct Refusals: Sendable, Hashable {
    package var flood = 0
    package var banned = 0
    package var notInChannel = 0
    package var frozen = 0
    package var muted = 0
    package var invalid = 0
  }

  /// Counts an addition that came after its message was published.
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
    } else {
      refused.invalid += 1
    }
  }
}
