import FloodControl
import ParleyProtocol

/// Connections that enter, or ask for the events that they missed.
extension ChannelStage {
  mutating func enter(
    _ request: EnterRequest, at now: Moment, into actions: inout StageActions
  ) {
    guard let position = request.recover,
      let read = read(for: .entering(request), after: position)
    else { return seat(request, missed: nil, at: now, into: &actions) }
    actions.append(.read(read))
  }

  /// Answers a connection of a member with the events that it missed.
  mutating func recover(
    _ request: MemberRecovery, at now: Moment, into actions: inout StageActions
  ) {
    guard let read = read(for: .member(request), after: request.position) else {
      return answer(request, missed: nil, at: now, into: &actions)
    }
    actions.append(.read(read))
  }

  /// The read of the events after a position; `nil` if they can't be recovered.
  private mutating func read(
    for request: RecoveryRequest, after position: StreamPosition
  ) -> RecoveryRead? {
    guard position.epoch == epoch, !record.isEphemeral else { return nil }
    return recoveries.begin(request, after: position.seq, lastSeq: lastSeq)
  }

  mutating func didRead(
    _ number: Int, _ result: Result<[DurableEvent]?, ServiceError>, at now: Moment,
    into actions: inout StageActions
  ) {
    switch result {
    case .failure(let error):
      if let request = recoveries.remove(number) { refuse(request, error, into: &actions) }
    case .success(let events):
      switch recoveries.proceed(number, with: events, lastSeq: lastSeq) {
      case .read(let read): actions.append(.read(read))
      case .answer(.entering(let request), let missed):
        seat(request, missed: missed, at: now, into: &actions)
      case .answer(.member(let request), let missed):
        answer(request, missed: missed, at: now, into: &actions)
      case nil: break
      }
    }
  }

  /// Admits a connection.
  ///
  /// - Parameter missed: The events that it missed; `nil` if they can't be recovered.
  private mutating func seat(
    _ request: EnterRequest, missed: [DurableEvent]?, at now: Moment,
    into actions: inout StageActions
  ) {
    // The turn's events so far happened before the connection entered.
    flush(into: &actions)
    let (user, session) = (request.principal.user, request.principal.session)
    let recovered = missed.flatMap { missed in
      recover(missed, for: .entering(request), in: .whole, at: now)
    }
    let isNew = audience.add(
      session, of: user.id, throttle: recovered?.throttle ?? Throttle(),
      withheldIDs: recovered?.withheldIDs ?? [],
      since: recovered == nil ? lastSeq : request.recover?.seq ?? lastSeq)
    var info = lastInfo
    // The home still counts the user as elsewhere, and will report that it is here.
    if request.isElsewhere, isNew, elsewhereCount > 0 { info.participantCount -= 1 }
    let result = info.encodedForEntering(
      epoch: epoch, seq: lastSeq, recovered: recovered?.events)
    actions.append(.welcome(request.address, userID: user.id, result: result))
    if isNew { actions.append(.entered(user, session)) }
  }

  private mutating func answer(
    _ request: MemberRecovery, missed: [DurableEvent]?, at now: Moment,
    into actions: inout StageActions
  ) {
    // The answer contains a position: the events before it come first.
    flush(into: &actions)
    let (user, session) = (request.principal.user, request.principal.session)
    let recovered = missed.flatMap { missed in
      recover(missed, for: .member(request), in: request.history, at: now)
    }
    if let recovered, audience.participants.contains(session, of: user.id) {
      _ = audience.add(
        session, of: user.id, throttle: recovered.throttle, withheldIDs: recovered.withheldIDs,
        since: request.position.seq)
    }
    let group = RecoveredGroup(epoch: epoch, seq: lastSeq, events: recovered?.events)
    actions.append(.recovered(.success(group), replyTo: request.address))
  }

  /// The missed events as shown to the user; `nil` if they do not fit into the answer.
  private func recover(
    _ missed: [DurableEvent], for request: RecoveryRequest, in history: VisibleHistory,
    at now: Moment
  ) -> RecoveredEvents? {
    let userID = request.principal.user.id
    let viewer = RecoveredEvents.Viewer(
      userID: userID, isOperator: audience.participants.isOperator(userID), seq: request.seq,
      byteLimit: request.eventByteLimit, history: history, shown: audience.shown(to: userID))
    return RecoveredEvents(
      missed, for: viewer, in: lastInfo, limit: audience.limit, at: now.unix,
      isHeld: updates.holds)
  }

  mutating func refuse(
    _ request: EnterRequest, _ error: ServiceError, into actions: inout StageActions
  ) {
    let principal = request.principal
    if !audience.participants.contains(principal.session, of: principal.user.id) {
      actions.append(.release(principal))
    }
    queue.append(.failure(error), to: request.address)
  }

  /// Refuses a connection whose user is removed from the channel.
  mutating func refuseRemoved(_ request: RecoveryRequest, into actions: inout StageActions) {
    switch request {
    case .entering: refuse(request, .banned(url), into: &actions)
    // To a user who is no longer a member, the group does not exist.
    case .member: refuse(request, .notFound(.channel, url), into: &actions)
    }
  }

  mutating func refuse(
    _ request: RecoveryRequest, _ error: ServiceError, into actions: inout StageActions
  ) {
    switch request {
    case .entering(let request): refuse(request, error, into: &actions)
    case .member(let request):
      actions.append(.recovered(.failure(error), replyTo: request.address))
    }
  }
}
