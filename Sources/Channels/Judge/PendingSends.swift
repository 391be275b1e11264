import LinkPreview
import FloodControl
import ParleyProtocol

/// Judges sends, and keeps those that wait for the log.
struct PendingSends: Sendable {
  /// By message id.
  var pending: [Int64: PendingSend] = [:]
  /// By the number of the look-up.
  private var sought: [Int64: SoughtSend] = [:]
  private var lastLookUp: Int64 = 0
  /// The last call with several messages, one of which the flood window has refused.
  private var flooded: FloodedCall?
  var requests: RequestMemory
  var waiting = WaitingSends<AcceptedSend>()
  /// Connections with waiting sends that have left the channel.
  var exited: Set<SessionAddress> = []
  /// The messages whose callers have been informed that the outcome is unknown.
  private var unsettled: Set<Int64> = []

  init(requests: RequestMemory) {
    self.requests = requests
  }

  var isEmpty: Bool { pending.isEmpty && sought.isEmpty && waiting.isEmpty }

  /// Judges a message and, unless it is refused, submits it or makes it wait.
  mutating func send(
    _ order: MessageOrder, by principal: Principal, _ call: CallID, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) {
    if let flooded, flooded.contains(call) {
      actions.count { $0.countRefusal(flooded.error) }
      return actions.answer(call, .failure(flooded.error))
    }
    let key = RequestKey(principal.user, order.requestID)
    if let key {
      if requests.join(key, call) { return }
      if standing.isEphemeral, let first = requests.ephemeralResult(of: key, at: now.monotonic) {
        actions.count { $0.repeated += 1 }
        actions.answer(call, .success(.sent(first.joined)))
        return
      }
    }
    do throws(ServiceError) {
      try standing.rights.requireSending(principal, at: now.unix)
      var draft = try order.draft.get()
      if standing.isGroup {
        draft.mentionedUserIDs = standing.rights.mentionable(draft.mentionedUserIDs)
      }
      if let filter = standing.sources.wordFilter, draft.type != .admin {
        draft.text = try filter.filtered(draft.text)
      }
      try MessageSize.check(draft)
      try standing.requireCounting(of: draft)
      if let refusal = order.userFlood, standing.rights.isFloodLimited(principal) { throw refusal }
      let place = try standing.takePlace(
        principal, .send, bytes: draft.byteCount, at: now.monotonic)
      let send = AcceptedSend(
        draft: draft, order: order, principal: principal, call: call, key: key, place: place)
      if let hooks = standing.sources.hooks, hooks.asks(.messageSend, principal) {
        ask(send, in: standing, at: now, into: &actions)
      } else if !send.draft.hasWishes, waiting.isEmpty {
        submit(send, in: &standing, at: now, into: &actions)
      } else {
        lineUp(send, in: &standing, &enrichments, at: now, into: &actions)
      }
    } catch {
      if let call = FloodedCall(call, error) { flooded = call }
      refuse(error, key, call, in: standing, at: now.unix, into: &actions)
    }
  }

  /// Handles the log's answer to a message.
  ///
  /// - Returns: The message, if it was published with a link.
  mutating func didLog(
    _ id: Int64, _ result: LogResult, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) -> PublishedMessage? {
    guard let send = pending.removeValue(forKey: id) else { return nil }
    switch result {
    case .success(.appended(let seq, let mentioned)):
      return publish(
        send, mentioned, seq: standing.count.number(seq), in: &standing, at: now, into: &actions)
    case .success(.relayed(let mentioned)), .success(.read(.users(let mentioned))):
      let seq = standing.count.next()
      return publish(send, mentioned, seq: seq, in: &standing, at: now, into: &actions)
    case .success(.repeated(let first)):
      actions.count { $0.repeated += 1 }
      let sent = SentMessage(first.message, seq: first.seq, .repeated)
      cancel(send, .success(sent), in: &standing, &enrichments, into: &actions)
    case .success(.withdrawn):
      actions.count { $0.failed += 1 }
      cancel(send, .failure(.noSuchMessage), in: &standing, &enrichments, into: &actions)
    case .failure(let error):
      actions.count { $0.failed += 1 }
      cancel(send, .failure(ServiceError(error)), in: &standing, &enrichments, into: &actions)
    case .success(.replaced), .success(.deleted), .success(.changed), .success(.removed),
      .success(.own), .success(.stored), .success(.channel), .success(.found), .success(.absent),
      .success(.read):
      cancel(send, .failure(.internalError), in: &standing, &enrichments, into: &actions)
    }
    return nil
  }

  /// Handles the log's answer to the look-up of a send among earlier ones.
  mutating func didLookUp(
    _ number: Int64, _ result: LogResult, in standing: inout Standing,
    _ enrichments: inout PendingEnrichments, at now: Moment, into actions: inout JudgeActions
  ) {
    switch sought.removeValue(forKey: number) {
    case .refused(let send)?: answer(send, result, into: &actions)
    case .asked(let id)?:
      didLookUp(asked: id, result, in: &standing, &enrichments, at: now, into: &actions)
    case nil: break
    }
  }

  /// The refusal of a send stands unless the same send was carried out before, or may have been.
  private func answer(
    _ send: RefusedSend, _ result: LogResult, into actions: inout JudgeActions
  ) {
    switch result {
    case .success(.read(.message(let first?))):
      actions.count { $0.repeated += 1 }
      let sent = SentMessage(first.message, seq: first.seq, .repeated)
      actions.answer(send.call, .success(.sent(sent)))
    case .success(.read(.withdrawn)):
      actions.answer(send.call, .failure(.noSuchMessage))
    case .failure(let error):
      actions.count { $0.failed += 1 }
      actions.answer(send.call, .failure(ServiceError(.unknown("\(error)"))))
    case .success:
      actions.count { $0.countRefusal(send.error) }
      actions.answer(send.call, .failure(send.error))
    }
  }

  /// Applies an update of an ephemeral channel's message.
  mutating func didUpdate(_ message: Message, at now: Moment) {
    guard let key = RequestKey(message.user, message.requestID) else { return }
    requests.replaceEphemeral(message, of: key, at: now.monotonic)
  }

  // MARK: An unknown outcome

  /// Answers the callers of a message of which it is unknown whether it was stored.
  mutating func answerUnknown(
    _ id: Int64, _ error: ServiceError, into actions: inout JudgeActions
  ) {
    guard let send = pending[id], !unsettled.contains(id) else { return }
    finish(send, .failure(error), into: &actions)
    unsettled.insert(id)
  }

  /// The log's answer, derived from a later read of the message.
  func settled(_ found: SequencedMessage?) -> LogResult {
    guard let found else { return .failure(.unavailable("the message is not there")) }
    return .success(.appended(seq: found.seq, mentionedUsers: found.message.mentionedUsers))
  }

  // MARK: Steps

  /// Assigns a message its id and its time, and submits it.
  ///
  /// - Parameter additions: The additions that have arrived.
  mutating func submit(
    _ accepted: AcceptedSend, with additions: [Enrichment] = [], in standing: inout Standing,
    at now: Moment, into actions: inout JudgeActions
  ) {
    let createdAt = standing.count.createdAt(at: now)
    let user = accepted.principal.user
    let preview = standing.sources.preview(
      ofText: accepted.draft.text, in: accepted.draft.type, by: user?.id)
    var message = standing.message(
      accepted.draft, accepted.order, by: user, id: standing.sources.nextMessageID(createdAt),
      at: createdAt,
      preview: preview.tag)
    for addition in additions { message = addition.applied(to: message) ?? message }
    let hasWaited = accepted.waitsSince != nil
    let call = accepted.call
    // Most messages are published as they were accepted, and are encoded here.
    let isComplete =
      accepted.draft.mentionedUserIDs.isEmpty && !preview.isUnknown && !standing.isGroup
    let send = PendingSend(
      isComplete ? EventMessage(encoding: consume message) : EventMessage(consume message), preview,
      of: accepted.draft, author: accepted.principal.session,
      blockerID: standing.blockerID(of: user, accepted.draft), call, accepted.place,
      hasWaited ? .delayed : .direct(arrival: accepted.order.arrival), wishes: accepted.wishes)
    // Must precede the recording of the request.
    let operation = operation(
      of: send, accepted.draft, accepted.order, in: standing, at: now)
    if let key = accepted.key {
      if hasWaited {
        requests.renew(key, isEphemeral: standing.isEphemeral, at: createdAt)
      } else {
        requests.begin(key, isEphemeral: standing.isEphemeral, at: createdAt)
      }
    }
    let id = send.messageID
    pending[id] = send
    actions.append(.submit(.send(id), .write(operation, standing.place)))
  }

  /// The log's operation for a message.
  ///
  /// Of an ephemeral channel's message the log keeps at most a file; without one, the mentioned
  /// users are read at the message's place among the entries.
  private mutating func operation(
    of send: PendingSend, _ draft: MessageDraft, _ order: MessageOrder, in standing: Standing,
    at now: Moment
  ) -> LogOperation {
    guard !standing.isEphemeral || order.upload != nil else {
      return .read(.users(draft.mentionedUserIDs))
    }
    let mayBeRepeated = send.key.map { requests.mayContain($0, at: now.unix) } ?? false
    let unsequenced = standing.unsequenced(
      send, of: draft, order.upload, send.place == nil ? .exempt : .counted,
      mayBeRepeated: mayBeRepeated)
    return standing.isEphemeral ? .relay(consume unsequenced) : .append(consume unsequenced)
  }

  mutating func refuse(
    _ error: ServiceError, _ key: RequestKey?, _ call: CallID, in standing: Standing,
    at now: Int64, into actions: inout JudgeActions
  ) {
    guard let key, !standing.isEphemeral, !standing.rights.isDeleted,
      requests.mayContain(key, at: now)
    else {
      actions.count { $0.countRefusal(error) }
      actions.answer(call, .failure(error))
      return
    }
    let read = LogRead.request(
      key.requestID, userID: key.userID, channelID: standing.place.id,
      since: now - requestIDLifetimeMilliseconds)
    lookUp(.refused(RefusedSend(error: error, call: call)), by: read, into: &actions)
  }

  /// Looks up a send among earlier sends.
  mutating func lookUp(
    _ send: SoughtSend, by read: LogRead, into actions: inout JudgeActions
  ) {
    lastLookUp += 1
    sought[lastLookUp] = send
    actions.append(.read(.repetition(lastLookUp), read))
  }

  private mutating func publish(
    _ send: PendingSend, _ mentionedUsers: [User], seq: Int64, in standing: inout Standing,
    at now: Moment, into actions: inout JudgeActions
  ) -> PublishedMessage? {
    let ordinal = standing.isGroup ? send.isSilent ? 0 : standing.count.nextOrdinal() : nil
    if ordinal != nil, let author = send.accepted.message.user { standing.typing.end(author.id) }
    if let ordinal, ordinal > 0, let authorID = send.accepted.message.user?.id {
      if send.movesPosition {
        let hasRead = standing.rights.advance(
          authorID, to: ordinal, at: send.accepted.message.createdAt, seq: seq)
        if hasRead { actions.append(.noteReading(userID: authorID)) }
      } else if send.blockerID == nil {
        standing.rights.countOwn(authorID, seq: seq)
      }
      if let blockerID = send.blockerID { standing.rights.disregard(ordinal, for: blockerID) }
    }
    let isPlain = mentionedUsers.isEmpty && !send.preview.isUnknown && ordinal == nil
    let sent =
      isPlain
      ? SentMessage(send.accepted, seq: seq, .sent)
      : SentMessage(
        send.accepted.message.shown(
          mentioning: mentionedUsers, isPreviewPending: send.preview.isUnknown, ordinal: ordinal),
        seq: seq, .sent)
    standing.flood.settle(send.place, bytes: sent.shown.json.count, at: now.monotonic)
    if standing.isEphemeral, let key = send.key {
      requests.recordEphemeral(sent, of: key, at: now.monotonic)
    }
    actions.count { $0.accepted += 1 }
    if case .direct(let arrival) = send.course { actions.append(.measure(since: arrival)) }
    finish(send, .success(sent), into: &actions)
    let shown = sent.shown
    if ordinal != nil { standing.noteMentions(in: shown.message) }
    standing.publish(
      .messageReceived(shown), seq: seq, at: shown.message.createdAt, author: send.author,
      into: &actions)
    if !mentionedUsers.isEmpty, !send.isImported {
      actions.mention(shown, in: standing, by: send.mentionAuthor)
    }
    if case .noLink = send.preview, send.wishes.isEmpty { return nil }
    var message = shown.message
    message.isPreviewPending = false
    return PublishedMessage(message, send.preview, wishes: send.wishes)
  }

  /// Ends a send that publishes nothing: gives back its flood place and cancels its additions.
  private mutating func cancel(
    _ send: PendingSend, _ outcome: Result<SentMessage, ServiceError>,
    in standing: inout Standing, _ enrichments: inout PendingEnrichments,
    into actions: inout JudgeActions
  ) {
    enrichments.forget(send.wishes)
    standing.flood.giveBack(send.place)
    finish(send, outcome, into: &actions)
  }

  /// Answers a send, and the calls that repeated it meanwhile.
  private mutating func finish(
    _ send: PendingSend, _ outcome: Result<SentMessage, ServiceError>,
    into actions: inout JudgeActions
  ) {
    if unsettled.isEmpty || unsettled.remove(send.messageID) == nil {
      actions.answer(send.call, outcome.map(JudgeAnswer.sent))
    }
    guard let key = send.key else { return }
    for call in requests.end(key) {
      actions.answer(call, outcome.map { .sent($0.joined) })
    }
  }
}

extension Message {
  /// The message as shown in its event.
  fileprivate func shown(
    mentioning users: [User], isPreviewPending: Bool, ordinal: Int64?
  ) -> Message {
    var message = self
    message.ordinal = ordinal
    message.mentionedUsers = users
    message.isPreviewPending = isPreviewPending
    return message
  }
}
