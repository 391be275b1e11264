import DequeModule
import ParleyProtocol

/// Judges changes of messages: one change per message at a time, in order of arrival.
///
/// The judge is the only writer of its channel, so a message that it has read or written does not
/// change until its own next write.
///
///     edit ──read──▶ decide ──replace──▶ answer, event
///     count          (waits)             decide ──replace──▶ answer, event
struct PendingChanges: Sendable {
  /// The changes of one message; the first is in progress.
  private struct Line: Sendable {
    var changes: Deque<PendingChange> = []
    var step = Step.reading

    /// The requested languages whose pending translations are of a text other than this one.
    func languagesOutdated(by text: String) -> [String] {
      changes.flatMap { change -> [String] in
        guard change.call == nil,
          case .enrichment(.translations(let translations), let former) = change.change,
          former != text
        else { return [] }
        return translations.texts.keys.sorted()
      }
    }
  }

  private enum Step: Sendable {
    case reading
    /// - `at`: Unix milliseconds of the event.
    case replacing(Replacement, of: Message, at: Int64)
    case deleting(Message, at: Int64)
  }

  /// The known state of a message when a change's turn comes.
  private enum Knowledge {
    case message(Message)
    case missing
    /// A write has failed: the message must be read.
    case none
  }

  /// By message id.
  private var lines: [Int64: Line] = [:]

  var isEmpty: Bool { lines.isEmpty }

  /// The author of the change in progress of a message.
  func authorID(ofMessage id: Int64) -> String? { lines[id]?.changes.first?.authorID }

  /// Adds a change, which is judged once earlier changes of the same message are done.
  mutating func add(
    _ change: PendingChange, ofMessage id: Int64, in standing: Standing,
    into actions: inout JudgeActions
  ) {
    lines[id, default: Line()].changes.append(change)
    if lines[id]?.changes.count == 1 { read(id, in: standing, into: &actions) }
  }

  /// Handles the log's answer to a read or a write.
  ///
  /// - Returns: The message, if it was published with a new text.
  mutating func didLog(
    _ id: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) -> PublishedMessage? {
    guard let line = lines[id], let change = line.changes.first else { return nil }
    switch (line.step, result) {
    case (.reading, .success(.read(.message(let found)))):
      proceed(
        id, knowing: found.map { .message($0.message) } ?? .missing, in: &standing, at: now,
        into: &actions)
    case (
      .replacing(let replacement, let former, let timestamp),
      .success(.replaced(let seq, let mentioned))
    ):
      var replacement = replacement
      if replacement.mentionedUserIDs != nil { replacement.message.mentionedUsers = mentioned }
      let outdated = line.languagesOutdated(by: replacement.message.text)
      publish(
        change, replacement.message, from: former, seq: standing.count.number(seq), at: timestamp,
        in: &standing, now: now, into: &actions)
      end(id, knowing: .message(replacement.message), in: &standing, at: now, into: &actions)
      return replacement.preview.map {
        PublishedMessage(replacement.message, $0, languages: replacement.languages + outdated)
      }
    case (.deleting(let message, let timestamp), .success(.deleted(let seq))):
      publishDeletion(
        of: message, change, seq: standing.count.number(seq), at: timestamp, in: &standing,
        into: &actions)
      end(id, knowing: .missing, in: &standing, at: now, into: &actions)
    case (_, .failure(let error)):
      if error == .fenced { handOver(id, change, into: &actions) }
      let isMissing = error == .missing(.message)
      refuse(
        change, isMissing ? .notFound(messageID: id) : ServiceError(error), in: &standing,
        into: &actions)
      end(id, knowing: isMissing ? .missing : .none, in: &standing, at: now, into: &actions)
    case (.reading, .success), (.replacing, .success), (.deleting, .success):
      refuse(change, .internalError, in: &standing, into: &actions)
      end(id, knowing: .none, in: &standing, at: now, into: &actions)
    }
    return nil
  }

  /// The call of the change of a message that is in progress.
  func call(of id: Int64) -> CallID? { lines[id]?.changes.first?.call }

  // MARK: An unknown outcome

  /// Answers the caller of a change whose outcome is unknown.
  mutating func answerUnknown(
    _ id: Int64, _ error: ServiceError, into actions: inout JudgeActions
  ) {
    actions.answer(lines[id]?.changes.first?.call, .failure(error))
    lines[id]?.changes[0].call = nil
  }

  /// The log's answer, derived from a later read of the message.
  ///
  /// - Parameter next: The number of the channel's next event.
  func settled(_ id: Int64, _ found: SequencedMessage?, next: Int64) -> LogResult {
    let failure = LogResult.failure(.unavailable("the change was not made"))
    switch (lines[id]?.step, found?.message) {
    case (.deleting, nil): return .success(.deleted(seq: next))
    case (.replacing(let replacement, _, _), let found?) where replacement.isIn(found):
      return .success(.replaced(seq: next, mentionedUsers: found.mentionedUsers))
    case (.reading, _): return .success(.read(.message(found)))
    case (.replacing, nil): return .failure(.missing(.message))
    case (.replacing, _?), (.deleting, _?), (nil, _): return failure
    }
  }

  // MARK: Steps

  private mutating func read(
    _ id: Int64, in standing: Standing, into actions: inout JudgeActions
  ) {
    lines[id]?.step = .reading
    actions.append(.read(.change(id), .message(id, channelID: standing.place.id)))
  }

  /// Decides on changes until one must be written, or none is left.
  private mutating func proceed(
    _ id: Int64, knowing knowledge: Knowledge, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    while let change = lines[id]?.changes.first {
      do throws(ServiceError) {
        guard !standing.rights.isDeleted else { throw .notFound(.channel, standing.place.url) }
        switch knowledge {
        case .none: return read(id, in: standing, into: &actions)
        case .missing: throw .notFound(messageID: id)
        case .message(let message) where message.createdAt < change.visibleFrom:
          throw .notFound(messageID: id)
        case .message(let message):
          switch try change.decision(on: message, standing.sources, at: now.unix) {
          case .replace(let replacement):
            lines[id]?.step = .replacing(replacement, of: message, at: now.unix)
            let operation = LogOperation.replace(
              replacement.message, mentionedUserIDs: replacement.mentionedUserIDs, at: now.unix)
            return actions.append(.submit(.change(id), .write(operation, standing.place)))
          case .delete:
            lines[id]?.step = .deleting(message, at: now.unix)
            return actions.append(
              .submit(.change(id), .write(.delete(messageID: id, at: now.unix), standing.place)))
          case .nothing:
            standing.flood.giveBack(change.place)
            actions.answer(change.call, .success(.changed(EventMessage(message))))
          }
        }
      } catch {
        refuse(change, error, in: &standing, into: &actions)
      }
      lines[id]?.changes.removeFirst()
    }
    lines[id] = nil
  }

  /// Ends the change in progress, and continues with the next.
  private mutating func end(
    _ id: Int64, knowing knowledge: Knowledge, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    lines[id]?.changes.removeFirst()
    proceed(id, knowing: knowledge, in: &standing, at: now, into: &actions)
  }

  /// Hands an addition over to the next home: no caller would request it there.
  private func handOver(
    _ id: Int64, _ change: PendingChange, into actions: inout JudgeActions
  ) {
    guard case .enrichment(let enrichment, let text) = change.change else { return }
    actions.append(
      .handOver(LateAddition(messageID: id, text: text, enrichment: enrichment)))
  }

  private func refuse(
    _ change: PendingChange, _ error: ServiceError, in standing: inout Standing,
    into actions: inout JudgeActions
  ) {
    standing.flood.giveBack(change.place)
    actions.answer(change.call, .failure(error))
  }

  private func publish(
    _ change: PendingChange, _ message: Message, from former: Message, seq: Int64,
    at timestamp: Int64, in standing: inout Standing, now: Moment,
    into actions: inout JudgeActions
  ) {
    let formerMentions = FormerMentions(from: former, to: message)
    if let formerMentions, let ordinal = message.ordinal {
      standing.noteMentions(in: message, before: formerMentions.mentions)
      standing.rights.noteMentions(
        ofMessage: ordinal, by: message.user?.id, editedBy: change.authorID)
    }
    let changed = EventMessage(encoding: message, former: formerMentions)
    standing.flood.settle(change.place, bytes: changed.json.count, at: now.monotonic)
    switch change.change {
    case .edit: actions.count { $0.updated += 1 }
    case .enrichment(let enrichment, _): actions.count { $0.countLate(enrichment) }
    case .metaArrays, .deletion: break
    }
    actions.answer(change.call, .success(.changed(changed)))
    standing.publish(
      .messageUpdated(changed), seq: seq, at: timestamp, author: change.session, into: &actions)
  }

  private func publishDeletion(
    of message: Message, _ change: PendingChange, seq: Int64, at timestamp: Int64,
    in standing: inout Standing, into actions: inout JudgeActions
  ) {
    let deletion = Event.Deletion(of: message)
    if let ordinal = deletion.ordinal, ordinal > 0 {
      standing.rights.uncount(ordinal, by: deletion.senderID, seq: seq)
      standing.noteMentions(in: message)
    }
    actions.count { $0.deleted += 1 }
    actions.answer(change.call, .success(.done))
    standing.publish(
      .messageDeleted(deletion), seq: seq, at: timestamp, into: &actions)
  }
}
