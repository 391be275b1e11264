import DequeModule
import ParleyProtocol

/// An operation with the call that waits for it.
struct PendingOperation: Sendable {
  let operation: ChannelOperation
  let principal: Principal
  /// `nil` once the call is answered.
  var call: CallID?
  /// Its place in the flood window; `nil` if it took none.
  let place: FloodPlace?
}

/// Judges changes of a channel's settings: one at a time, in order of arrival.
struct PendingOperations: Sendable {
  /// The step of the operation in progress, with the Unix milliseconds of its events.
  private enum Step: Sendable {
    case idle
    case changing([ChannelChange], at: Int64)
    case removing(at: Int64)
  }

  /// The first is in progress.
  private var operations: Deque<PendingOperation> = []
  private var step = Step.idle
  /// The calls that are to be answered with the group.
  private var groupRequests: [GroupRequest] = []

  var isEmpty: Bool { operations.isEmpty }

  /// The call of the operation in progress.
  var call: CallID? { operations.first?.call }

  /// Adds an operation, which is judged once earlier ones are done.
  mutating func add(
    _ operation: PendingOperation, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    operations.append(operation)
    if operations.count == 1 { proceed(in: &standing, at: now, into: &actions) }
  }

  /// Handles the log's answer to the operation in progress.
  mutating func didLog(
    _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let pending = operations.first else { return }
    switch (step, result) {
    case (.changing(let changes, let timestamp), .success(.changed(let records, let channel))):
      didChange(
        pending, zip(changes, records), channel, in: &standing, at: timestamp, now: now,
        into: &actions)
    case (.removing(let timestamp), .success(.removed(let seq))):
      didRemove(pending, seq: seq, in: &standing, at: timestamp, into: &actions)
    case (_, .failure(let error)):
      refuse(pending, ServiceError(error), in: &standing, into: &actions)
    case (.idle, .success), (.changing, .success), (.removing, .success):
      refuse(pending, .internalError, in: &standing, into: &actions)
    }
    operations.removeFirst()
    proceed(in: &standing, at: now, into: &actions)
  }

  /// Removes and returns the calls that are to be answered with the group as it is now.
  mutating func takeGroupRequests() -> [GroupRequest] {
    guard !groupRequests.isEmpty else { return [] }
    defer { groupRequests = [] }
    return groupRequests
  }

  // MARK: An unknown outcome

  /// Answers the caller of an operation whose outcome is unknown.
  mutating func answerUnknown(_ error: ServiceError, into actions: inout JudgeActions) {
    actions.answer(operations.first?.call, .failure(error))
    if !operations.isEmpty { operations[0].call = nil }
  }

  /// The log's answer, derived from a later read of the channel.
  func settled(_ found: ChannelState?, in standing: Standing) -> LogResult {
    let failure = LogResult.failure(.unavailable("the change was not made"))
    switch (step, found) {
    case (.removing, nil): return .success(.removed(seq: standing.count.recorded + 1))
    case (.changing(let changes, let timestamp), let found?):
      guard changes.allSatisfy({ $0.isIn(found) }) else { return failure }
      let records = changes.recorded(
        from: standing.rights, at: timestamp, to: found, after: standing.count.recorded)
      return .success(.changed(records, found.channel))
    case (.changing, nil): return .failure(.missing(.channel))
    case (.removing, _?), (.idle, _): return failure
    }
  }

  // MARK: Steps

  /// Decides on operations until one must be written, or none is left.
  private mutating func proceed(
    in standing: inout Standing, at now: Moment, into actions: inout JudgeActions
  ) {
    step = .idle
    while let pending = operations.first {
      do throws(ServiceError) {
        guard !standing.rights.isDeleted else { throw .notFound(.channel, standing.place.url) }
        if pending.operation.removesChannel(in: standing.rights) {
          step = .removing(at: now.unix)
          return actions.append(.submit(.operation, .write(.remove(at: now.unix), standing.place)))
        }
        let changes = try pending.operation.changes(
          by: pending.principal, in: standing.rights, under: standing.sources.groupRules(),
          at: now.unix, visibleFrom: standing.count.nextCreatedAt(at: now))
        guard changes.isEmpty else {
          step = .changing(changes, at: now.unix)
          return actions.append(
            .submit(.operation, .write(.change(changes, at: now.unix), standing.place)))
        }
        standing.flood.giveBack(pending.place)
        answer(pending, .channel, in: standing, into: &actions)
      } catch {
        refuse(pending, error, in: &standing, into: &actions)
      }
      operations.removeFirst()
    }
  }

  private func refuse(
    _ pending: PendingOperation, _ error: ServiceError, in standing: inout Standing,
    into actions: inout JudgeActions
  ) {
    standing.flood.giveBack(pending.place)
    actions.answer(pending.call, .failure(error))
  }

  private mutating func didChange(
    _ pending: PendingOperation, _ changes: some Sequence<(ChannelChange, RecordedChange)>,
    _ channel: Channel, in standing: inout Standing, at timestamp: Int64, now: Moment,
    into actions: inout JudgeActions
  ) {
    let customType = standing.rights.channel.customType
    standing.rights.refresh(from: channel)
    var byteCount = 0
    var answer = OperationAnswer.channel
    for (change, record) in changes {
      byteCount += standing.apply(change, record, at: timestamp, &answer, into: &actions)
    }
    standing.rights.apply(channel)
    if case .changeMembers(.forget(let userID)) = pending.operation {
      standing.rights.forgetCreator(userID)
    }
    if byteCount == 0 { standing.flood.giveBack(pending.place) }
    standing.flood.settle(pending.place, bytes: byteCount, at: now.monotonic)
    self.answer(pending, answer, in: standing, into: &actions)
    if channel.customType != customType { actions.append(.renewLimits) }
  }

  private mutating func answer(
    _ pending: PendingOperation, _ answer: OperationAnswer, in standing: Standing,
    into actions: inout JudgeActions
  ) {
    if let outcome = pending.operation.groupOutcome(answer, in: standing) {
      // Members who have removed themselves no longer see a private group.
      guard (try? standing.rights.requireVisibility(to: pending.principal)) != nil else {
        return actions.answer(pending.call, .success(.done))
      }
      return groupRequests.append(
        GroupRequest(
          call: pending.call, principal: pending.principal, memberLimit: Limits.memberListCount,
          outcome: outcome))
    }
    switch answer {
    case .channel where pending.operation.onlyEndsMembership:
      actions.answer(pending.call, .success(.done))
    case .channel: actions.answer(pending.call, .success(.channel(standing.info)))
    case .imposed(let restriction): actions.answer(pending.call, .success(.imposed(restriction)))
    case .lifted(let wasThere): actions.answer(pending.call, .success(.lifted(wasThere)))
    case .members: actions.answer(pending.call, .success(.done))
    }
  }

  private func didRemove(
    _ pending: PendingOperation, seq: Int64, in standing: inout Standing, at timestamp: Int64,
    into actions: inout JudgeActions
  ) {
    standing.rights.delete()
    let number = standing.count.number(seq)
    standing.publish(
      .channelDeleted(standing.info), seq: number, at: timestamp, into: &actions)
    actions.answer(pending.call, .success(.done))
    actions.append(.release)
  }
}

extension ChannelOperation {
  /// Whether the operation removes the channel as it is when its turn comes.
  fileprivate func removesChannel(in rights: Rights) -> Bool {
    switch self {
    case .delete: true
    case .deleteEmpty: rights.members?.count == 0
    case .update, .freeze, .addOperators, .removeOperators, .removeAllOperators, .restrict,
      .changeBan, .lift, .changeMembers:
      false
    }
  }

  /// Whether the operation ends memberships, and is answered with nothing.
  fileprivate var onlyEndsMembership: Bool {
    switch self {
    case .changeMembers(.decline), .changeMembers(.leave), .changeMembers(.release),
      .changeMembers(.forget):
      true
    case .changeMembers, .update, .freeze, .addOperators, .removeOperators, .removeAllOperators,
      .restrict, .changeBan, .lift, .delete, .deleteEmpty:
      false
    }
  }

  /// The part of an answer beside the group; `nil` for an operation that is not answered with a group.
  fileprivate func groupOutcome(
    _ answer: OperationAnswer, in standing: Standing
  ) -> GroupAnswer.Outcome? {
    switch self {
    case .update: return standing.isGroup ? .viewed : nil
    case .changeMembers(.accept), .changeMembers(.join), .changeMembers(.remove): return .viewed
    case .changeMembers(.invite(let ids)):
      var (invited, joined): ([String], [String]) = ([], [])
      if case .members(let members) = answer {
        invited = members.filter { $0.state == .invited }.map(\.user.id)
        joined = members.filter { $0.state == .joined }.map(\.user.id)
      }
      let new = Set(invited + joined)
      return .invited(invited, joined: joined, skipped: ids.filter { !new.contains($0) })
    case .changeMembers(.decline), .changeMembers(.leave), .changeMembers(.release),
      .changeMembers(.forget), .freeze,
      .addOperators, .removeOperators, .removeAllOperators, .restrict, .changeBan, .lift, .delete,
      .deleteEmpty:
      return nil
    }
  }
}
