import ParleyProtocol

/// Sends that wait for the additions that they request.
extension PendingSends {
  /// Makes a send wait for its additions, after earlier sends of its connection; submits it if it
  /// requests none and no earlier sends wait, or if no more sends may wait.
  mutating func lineUp(
    _ send: AcceptedSend, in standing: inout Standing, _ enrichments: inout PendingEnrichments,
    at now: Moment, into actions: inout JudgeActions
  ) {
    var send = send
    let (session, sources) = (send.principal.session, standing.sources)
    let wishes = send.draft.wishes(sources)
    send.known = wishes.known
    send.wishes = enrichments.ask(for: wishes.missing, by: send.principal.user?.id, into: &actions)
    let isAwaited =
      wishes.isAwaited && !wishes.missing.isEmpty && sources.waits.milliseconds > 0
    var mustWait = waiting.hasLine(of: session) || isAwaited
    while mustWait {
      send.isBudgeted = sources.waits.admit(send.byteCount)
      if send.isBudgeted { break }
      // To keep the order, earlier sends are submitted at once, until there is room.
      guard let first = waiting.first(of: session) else {
        mustWait = false
        break
      }
      // The app's back end answers soon, and bounds the sends about which it is asked.
      if waiting.isAsked(first) { break }
      release(first, in: &standing, &enrichments, at: now, into: &actions)
      mustWait = waiting.hasLine(of: session) || isAwaited
    }
    guard mustWait else {
      return submit(send, with: send.known, in: &standing, at: now, into: &actions)
    }
    if let key = send.key {
      requests.begin(key, isEphemeral: standing.isEphemeral, at: now.unix)
    }
    send.waitsSince = now.monotonic
    waiting.add(
      send, of: session, missing: isAwaited ? send.wishes : [],
      until: now.monotonic + sources.waits.milliseconds)
    releaseDue(in: &standing, &enrichments, at: now, into: &actions)
  }

  /// Records that an addition to an unpublished message has arrived.
  mutating func additionArrived(
    _ id: EnrichmentID, in standing: inout Standing, _ enrichments: inout PendingEnrichments,
    at now: Moment, into actions: inout JudgeActions
  ) {
    waiting.arrived(id)
    releaseDue(in: &standing, &enrichments, at: now, into: &actions)
  }

  /// Records that a connection has left the channel.
  mutating func exited(_ session: SessionAddress) {
    if waiting.hasLine(of: session) { exited.insert(session) }
  }

  /// Submits the sends that are first in their lines, have all additions or are out of time, and
  /// have room in the flood window.
  mutating func releaseDue(
    in standing: inout Standing, _ enrichments: inout PendingEnrichments, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard !waiting.isEmpty else { return }
    while let id = waiting.due(at: now.monotonic), let send = waiting[id] {
      if let wait = standing.flood.wait(toMove: send.place, at: now.monotonic) {
        waiting.postpone(id, until: now.monotonic + wait)
      } else {
        release(id, in: &standing, &enrichments, at: now, into: &actions)
      }
    }
    if let time = waiting.wakeTime { actions.append(.wake(at: time)) }
  }

  /// Submits all waiting sends, with the additions that have arrived, except for those about which the
  /// app's back end has not answered.
  mutating func releaseAll(
    in standing: inout Standing, _ enrichments: inout PendingEnrichments, at now: Moment,
    into actions: inout JudgeActions
  ) {
    for id in waiting.all where standing.rights.isDeleted || !waiting.awaitsAnswer(id) {
      release(id, in: &standing, &enrichments, at: now, into: &actions)
    }
  }

  /// Cancels all waiting sends, which will be repeated at another judge.
  mutating func giveUpWaiting(
    _ error: ServiceError, in standing: inout Standing, _ enrichments: inout PendingEnrichments,
    at now: Moment, into actions: inout JudgeActions
  ) {
    for id in waiting.all {
      guard let send = takeOut(id, in: standing, at: now) else { continue }
      enrichments.forget(send.wishes)
      standing.flood.giveBack(send.place)
      actions.answer(send.call, .failure(error))
      for call in send.key.map({ requests.end($0) }) ?? [] { actions.answer(call, .failure(error)) }
    }
  }

  // MARK: Steps

  /// Submits a waiting send, unless its sender may not send now.
  private mutating func release(
    _ id: WaitingSends<AcceptedSend>.ID, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) {
    let hasExited = waiting[id]?.principal.session.map(exited.contains) ?? false
    guard var send = takeOut(id, in: standing, at: now) else { return }
    do throws(ServiceError) {
      try standing.rights.requireSending(
        send.principal.releasing(hasExited: hasExited), at: now.unix)
      standing.flood.move(&send.place, to: now.monotonic)
      let additions =
        send.known + enrichments.takeArrived(&send.wishes)
        + enrichments.parts(send.wishes)
      submit(send, with: additions, in: &standing, at: now, into: &actions)
    } catch {
      enrichments.forget(send.wishes)
      standing.flood.giveBack(send.place)
      let calls = [send.call] + (send.key.map { requests.end($0) } ?? [])
      for call in calls {
        refuse(error, send.key, call, in: standing, at: now.unix, into: &actions)
      }
    }
  }

  mutating func takeOut(
    _ id: WaitingSends<AcceptedSend>.ID, in standing: Standing, at now: Moment
  ) -> AcceptedSend? {
    guard let send = waiting.remove(id) else { return nil }
    if let session = send.principal.session, !waiting.hasLine(of: session) {
      exited.remove(session)
    }
    if send.isBudgeted {
      standing.sources.waits.end(
        send.byteCount, now.monotonic - (send.waitsSince ?? now.monotonic))
    }
    return send
  }
}

extension Principal {
  /// The authority for submitting a waiting send: a user who has left the channel may not send, and
  /// a connection that was only closed has not left.
  fileprivate func releasing(hasExited: Bool) -> Principal {
    switch self {
    case .session(let session): hasExited ? self : .background(session.user)
    case .platform, .background: self
    }
  }
}
