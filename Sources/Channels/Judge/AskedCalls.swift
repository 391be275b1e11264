import ParleyProtocol

/// Edits and changes of members that the app's back end is asked about.
///
/// They are judged, asked about, and judged again as if they had arrived with the answer, so no other call
/// waits for them.
struct AskedCalls: Sendable {
  fileprivate struct Edit: Sendable {
    var pending: PendingChange
    let edit: MessageChanges
    let messageID: Int64
    let principal: Principal
    /// `nil` until it was read.
    var message: Message?
  }

  private enum Call: Sendable {
    case edit(Edit)
    case operation(PendingOperation, HookName)

    var caller: (call: CallID?, place: FloodPlace?) {
      switch self {
      case .edit(let edit): (edit.pending.call, edit.pending.place)
      case .operation(let pending, _): (pending.call, pending.place)
      }
    }

    var hook: HookName {
      switch self {
      case .edit: .messageUpdate
      case .operation(_, let hook): hook
      }
    }
  }

  /// A call that was allowed.
  enum Step: Sendable {
    case edit(PendingChange, messageID: Int64)
    case operation(PendingOperation)
  }

  /// Edits whose messages are being read, by the number of the read.
  private var read: [Int64: Edit] = [:]
  private var calls: [Int64: Call] = [:]
  private var lastNumber: Int64 = 0

  var isEmpty: Bool { read.isEmpty && calls.isEmpty }

  // MARK: Asking

  /// Reads the message of an edit, to ask about the edit if it would be accepted.
  mutating func begin(
    _ pending: PendingChange, _ edit: MessageChanges, ofMessage id: Int64, by principal: Principal,
    _ number: Int64, in standing: Standing, into actions: inout JudgeActions
  ) {
    read[number] = Edit(pending: pending, edit: edit, messageID: id, principal: principal)
    actions.append(.read(.view(number), .message(id, channelID: standing.place.id)))
  }

  /// Handles the log's answer about the message of an edit.
  mutating func didRead(
    _ number: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard var edit = read.removeValue(forKey: number) else { return }
    do throws(ServiceError) {
      guard case .success(.read(.message(let found?))) = result,
        found.message.createdAt >= edit.pending.visibleFrom
      else {
        if case .failure(let error) = result { throw ServiceError(error) }
        throw .notFound(messageID: edit.messageID)
      }
      _ = try edit.pending.decision(on: found.message, standing.sources, at: now.unix)
      edit.message = found.message
      let params = edit.edit.hookParameters(
        ofMessage: edit.messageID, inChannel: standing.place.url)
      ask(.edit(edit), .messageUpdate, by: edit.principal, params, into: &actions)
    } catch {
      refuse(.edit(edit), error, in: &standing, into: &actions)
    }
  }

  /// Asks about a change of members that would be accepted.
  ///
  /// - Returns: Whether the change is asked about; one that changes nothing is not.
  /// - Throws: The refusal of the change.
  mutating func begin(
    _ pending: PendingOperation, _ hook: HookName, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) throws(ServiceError) -> Bool {
    do throws(ServiceError) {
      guard !standing.rights.isDeleted else { throw .notFound(.channel, standing.place.url) }
      let changes = try pending.operation.changes(
        by: pending.principal, in: standing.rights, under: standing.sources.groupRules(),
        at: now.unix, visibleFrom: standing.count.nextCreatedAt(at: now))
      guard !changes.isEmpty else { return false }
    } catch {
      standing.flood.giveBack(pending.place)
      throw error
    }
    ask(
      .operation(pending, hook), hook, by: pending.principal,
      pending.operation.hookParameters(in: standing.place.url), into: &actions)
    return true
  }

  private mutating func ask(
    _ call: Call, _ hook: HookName, by principal: Principal, _ params: [UInt8],
    into actions: inout JudgeActions
  ) {
    lastNumber += 1
    calls[lastNumber] = call
    actions.append(
      .ask(
        HookQuestion(
          id: .call(lastNumber), hook: hook, principal: principal, params: params, identity: nil)))
  }

  // MARK: Answers

  /// Handles the verdict on a call; refused ones keep their place in the flood window.
  ///
  /// - Returns: The call to judge again; `nil` for a refused one.
  mutating func take(
    _ verdict: HookVerdict, on number: Int64, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) -> Step? {
    guard let call = calls.removeValue(forKey: number) else { return nil }
    let result: Result<Step, ServiceError>
    let outcome: HookOutcome?
    switch call {
    case .edit(let edit): (result, outcome) = edit.decided(by: verdict, in: standing, at: now)
    case .operation(let pending, _):
      (result, outcome) = pending.decided(by: verdict, in: standing)
    }
    if let outcome { actions.append(.noteHook(call.hook, outcome)) }
    switch result {
    case .success(let step): return step
    case .failure(let error):
      actions.answer(call.caller.call, .failure(error))
      return nil
    }
  }

  /// Answers all calls, which will be repeated at another judge.
  mutating func giveUp(
    _ error: ServiceError, in standing: inout Standing, into actions: inout JudgeActions
  ) {
    for edit in read.values { refuse(.edit(edit), error, in: &standing, into: &actions) }
    for call in calls.values { refuse(call, error, in: &standing, into: &actions) }
    (read, calls) = ([:], [:])
  }

  private func refuse(
    _ call: Call, _ error: ServiceError, in standing: inout Standing,
    into actions: inout JudgeActions
  ) {
    standing.flood.giveBack(call.caller.place)
    actions.answer(call.caller.call, .failure(error))
  }
}

extension AskedCalls.Edit {
  fileprivate func decided(
    by verdict: HookVerdict, in standing: Standing, at now: Moment
  ) -> (Result<AskedCalls.Step, ServiceError>, HookOutcome?) {
    let (result, outcome) = verdict.applied(to: edit) { changes, edit throws(ServiceError) in
      guard let hooks = standing.sources.hooks, let message else { return edit }
      let changed = try edit.changed(
        by: changes, hooks.limits, mentioned: message.mentionedUsers.map(\.id))
      // The change of a message that is too large, for example, is not the user's fault.
      _ = try with(changed).decision(on: message, standing.sources, at: now.unix)
      return changed
    }
    let step = result.flatMap { changed -> Result<AskedCalls.Step, ServiceError> in
      do throws(ServiceError) {
        try standing.rights.requireEditing(principal, at: now.unix)
        _ = try standing.rights.requireReading(principal)
      } catch {
        return .failure(error)
      }
      return .success(.edit(with(changed), messageID: messageID))
    }
    return (step, outcome)
  }

  private func with(_ edit: MessageChanges) -> PendingChange {
    var pending = pending
    pending.change = .edit(edit)
    return pending
  }
}

extension PendingOperation {
  fileprivate func decided(
    by verdict: HookVerdict, in standing: Standing
  ) -> (Result<AskedCalls.Step, ServiceError>, HookOutcome?) {
    let (result, outcome) = verdict.applied(to: operation) {
      changes, operation throws(ServiceError) in
      guard let hooks = standing.sources.hooks,
        case .changeMembers(.invite(let ids)) = operation
      else { return operation }
      let fewer = try changes.fields(hooks.limits).fewer("user_ids", than: ids)
      return .changeMembers(.invite(fewer ?? ids))
    }
    return (result.map { .operation(self.with($0)) }, outcome)
  }

  private func with(_ operation: ChannelOperation) -> PendingOperation {
    PendingOperation(operation: operation, principal: principal, call: call, place: place)
  }
}

extension ChannelOperation {
  /// The hook that is asked before the operation.
  var hook: HookName? {
    switch self {
    case .changeMembers(.invite): .groupInvite
    case .changeMembers(.join), .changeMembers(.accept): .groupJoin
    case .changeMembers(.decline), .changeMembers(.leave), .changeMembers(.remove),
      .changeMembers(.release), .changeMembers(.forget), .update, .freeze, .addOperators,
      .removeOperators, .removeAllOperators, .restrict, .changeBan, .lift, .deleteEmpty, .delete:
      nil
    }
  }

  /// The parameters that the app's back end sees.
  fileprivate func hookParameters(in url: String) -> [UInt8] {
    JSONWriter.bytes {
      $0.object {
        $0.member("channel_url", url)
        if case .changeMembers(.invite(let ids)) = self { $0.member("user_ids", ids) }
        if case .changeMembers(.accept) = self { $0.member("accept", true) }
      }
    }
  }
}

extension PendingWork {
  /// Continues a call with the verdict of the app's back end.
  mutating func take(
    _ verdict: HookVerdict, on id: HookID, at now: Moment, into actions: inout JudgeActions
  ) {
    switch id {
    case .send(let id):
      sends.take(verdict, on: id, in: &standing, &enrichments, at: now, into: &actions)
    case .call(let number):
      switch asked.take(verdict, on: number, in: &standing, at: now, into: &actions) {
      case .edit(let change, let messageID)?:
        changes.add(change, ofMessage: messageID, in: standing, into: &actions)
      case .operation(let pending)?:
        operations.add(pending, in: &standing, at: now, into: &actions)
        viewGroups(into: &actions)
      case nil: break
      }
    }
  }
}
