import ParleyProtocol

/// Sends that the app's back end is asked about.
///
/// An accepted send is looked up among earlier ones if it may repeat one of them, then asked about, and
/// only then asks for additions. Meanwhile it waits in the line of its connection.
extension PendingSends {
  /// Makes a send wait for the answer of the app's back end.
  mutating func ask(
    _ accepted: AcceptedSend, in standing: Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    var send = accepted
    send.waitsSince = now.monotonic
    let id = waiting.addAsked(send, of: send.principal.session)
    guard let key = send.key else {
      return actions.append(.ask(send.question(id, in: standing)))
    }
    let isSought = !standing.isEphemeral && requests.mayContain(key, at: now.unix)
    requests.begin(key, isEphemeral: standing.isEphemeral, at: now.unix)
    guard isSought else { return actions.append(.ask(send.question(id, in: standing))) }
    let read = LogRead.request(
      key.requestID, userID: key.userID, channelID: standing.place.id,
      since: now.unix - requestIDLifetimeMilliseconds)
    lookUp(.asked(id), by: read, into: &actions)
  }

  /// Asks about a send that was not carried out before, and answers any other one.
  mutating func didLookUp(
    asked id: WaitingSends<AcceptedSend>.ID, _ result: LogResult, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) {
    guard let send = waiting[id] else { return }
    let outcome: Result<SentMessage, ServiceError>
    switch result {
    case .success(.read(.message(let first?))):
      actions.count { $0.repeated += 1 }
      outcome = .success(SentMessage(first.message, seq: first.seq, .repeated))
    case .success(.read(.withdrawn)): outcome = .failure(.noSuchMessage)
    case .failure(let error):
      actions.count { $0.failed += 1 }
      outcome = .failure(ServiceError(.unknown("\(error)")))
    case .success: return actions.append(.ask(send.question(id, in: standing)))
    }
    standing.flood.giveBack(send.place)
    end(id, outcome, in: &standing, &enrichments, at: now, into: &actions)
  }

  /// Continues a send with the verdict of the app's back end.
  ///
  /// A refused send keeps its place in the flood window, which therefore bounds the questions too.
  mutating func take(
    _ verdict: HookVerdict, on id: WaitingSends<AcceptedSend>.ID, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) {
    guard waiting.isAsked(id), var send = waiting[id] else { return }
    let (result, outcome) = verdict.applied(to: send.draft) { changes, draft throws(ServiceError) in
      try standing.changed(draft, by: changes)
    }
    if let outcome { actions.append(.noteHook(.messageSend, outcome)) }
    switch result {
    case .failure(let error):
      end(id, .failure(error), in: &standing, &enrichments, at: now, into: &actions)
    case .success(let draft):
      send.draft = draft
      let sources = standing.sources
      let wishes = draft.wishes(sources)
      send.known = wishes.known
      send.wishes = enrichments.ask(
        for: wishes.missing, by: send.principal.user?.id, into: &actions)
      let isAwaited =
        wishes.isAwaited && !wishes.missing.isEmpty && sources.waits.milliseconds > 0
        && sources.waits.admit(send.byteCount)
      send.isBudgeted = isAwaited
      waiting.answered(
        id, send, missing: isAwaited ? send.wishes : [],
        until: now.monotonic + sources.waits.milliseconds)
      releaseDue(in: &standing, &enrichments, at: now, into: &actions)
    }
  }

  /// Ends a waiting send with an answer, and lets those after it continue.
  private mutating func end(
    _ id: WaitingSends<AcceptedSend>.ID, _ outcome: Result<SentMessage, ServiceError>,
    in standing: inout Standing, _ enrichments: inout PendingEnrichments, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let send = takeOut(id, in: standing, at: now) else { return }
    actions.answer(send.call, outcome.map(JudgeAnswer.sent))
    for call in send.key.map({ requests.end($0) }) ?? [] {
      actions.answer(call, outcome.map { .sent($0.joined) })
    }
    releaseDue(in: &standing, &enrichments, at: now, into: &actions)
  }
}

extension AcceptedSend {
  fileprivate func question(_ id: Int64, in standing: Standing) -> HookQuestion {
    let url = standing.place.url
    return HookQuestion(
      id: .send(id), hook: .messageSend, principal: principal,
      params: draft.hookParameters(inChannel: url, requestID: order.requestID),
      identity: key.map { "\(url)\n\($0.userID ?? "")\n\($0.requestID)" })
  }
}

extension Standing {
  /// Judges a message with changes of the app's back end, as if its user had sent it.
  fileprivate func changed(
    _ draft: MessageDraft, by changes: HookChanges
  ) throws(ServiceError) -> MessageDraft {
    guard let hooks = sources.hooks else { return draft }
    var draft = try draft.changed(by: changes, hooks.limits, isInGroup: isGroup)
    if let filter = sources.wordFilter, draft.type != .admin {
      draft.text = try filter.filtered(draft.text)
    }
    try MessageSize.check(draft)
    try requireCounting(of: draft)
    return draft
  }
}
