package import FloodControl
package import ParleyProtocol

/// A channel on a server with participants: its sessions there, and what each of them is shown.
///
/// A stage applies the events that the channel's judge has decided on, in the order of `seq`, and
/// decides from them alone. It keeps the throttle's windows and announces withheld messages, limits
/// the rate of updates, admits connections with the events that they missed, and plans the
/// deliveries of a turn. It knows the users on its own server; the channel's home knows those on
/// all servers. A pure value: all effects are requested by its actions. It can't be copied, so its
/// host can only use it in place.
///
///     judge ── apply ──►┌───────┐── deliver, notify ──► subscribers of a shard
///     sessions ─ enter ►│ stage │── welcome, reply ───► sessions
///     log ─ recovered ─►└───────┘── read ─────────────► log
///                           └────── entered, left ────► home
package struct ChannelStage: ~Copyable, Sendable {
  let url: String
  /// The server that the stage is on.
  private let server: UInt16
  /// Identifies the life of the count of events.
  package private(set) var epoch: String
  var record: Channel
  /// The last event that was applied.
  package private(set) var lastSeq: Int64
  /// The users in the channel who are on other servers only.
  var elsewhereCount = 0
  var audience: Audience
  private var observers = Observers()
  var queue = TurnQueue()
  var recoveries = Recoveries()
  var updates = UpdatePacer<ChannelEvent>()
  private var seating = Seating()
  private var memberCounts = MemberCountPacer()
  /// The requested deadline that has not passed.
  private var wakeTime: Int64?

  /// - Parameters:
  ///   - record: The channel as it is now.
  ///   - lastSeq: The last event of the channel.
  ///   - server: The server that the stage is on.
  package init(
    _ record: Channel, epoch: String, lastSeq: Int64, throttleLimit: RateLimit, server: UInt16 = 0
  ) {
    url = record.url
    self.server = server
    self.epoch = epoch
    self.record = record
    self.lastSeq = lastSeq
    audience = Audience(operatorIDs: record.operatorIDs, limit: throttleLimit)
  }

  /// Handles an input, and appends the resulting actions to `actions`.
  package mutating func handle(
    _ input: StageInput, at now: Moment, into actions: inout StageActions
  ) {
    if seating.isWaiting, seating.hold(input) { return }
    take(input, at: now, into: &actions)
    requestWake(into: &actions)
  }

  private mutating func take(
    _ input: StageInput, at now: Moment, into actions: inout StageActions
  ) {
    switch input {
    case .apply(let event): apply(event, at: now, into: &actions)
    case .record(let channel): setRecord(channel)
    case .enter(let request): enter(request, at: now, into: &actions)
    case .recover(let request): recover(request, at: now, into: &actions)
    case .refuse(let request, let error): refuse(request, error, into: &actions)
    case .recovered(let number, let result): didRead(number, result, at: now, into: &actions)
    case .leave(let session, let userID): leave(session, of: userID, into: &actions)
    case .observe(let address): observe(address, into: &actions)
    case .unobserve(let session): observers.remove(session)
    case .notice(let notice): publish(notice.payload, except: notice.author)
    case .notify(let notice): notify(notice, into: &actions)
    case .notifyMembers(let notice):
      publish(notice.payload, except: nil, audience.slots(of: notice.exceptIDs))
    case .memberCount(let count): memberCounts.note(count, at: now.monotonic)
    case .throttle(let limit): audience.limit = limit
    case .elsewhere(let count): elsewhereCount = count
    case .resume(let start): resume(start)
    case .abandon: abandon(into: &actions)
    case .answer(let address, let outcome): queue.append(outcome, to: address)
    case .answerInOrder(let address, let outcome):
      queue.append(outcome, to: address)
      flush(into: &actions)
    case .deadline: publishDue(at: now, into: &actions)
    case .endOfTurn: flush(into: &actions)
    case .seek: seating.begin()
    case .seats(let seats):
      for seat in seats { add(seat, into: &actions) }
      endSearch(at: now, into: &actions)
    case .seat(let seat): add(seat, into: &actions)
    case .strangers(let userIDs):
      for userID in userIDs { expel(userID, .left, at: now.unix, into: &actions) }
    case .disperse: disperse(into: &actions)
    }
  }

  /// The number of users on the stage.
  package var participantCount: Int { audience.participants.count }

  /// The users on the stage, in no particular order.
  package var userIDs: [String] { Array(audience.participants.userIDs) }

  /// Whether a connection is on the stage.
  func contains(_ seat: Seat) -> Bool {
    audience.participants.contains(seat.session, of: seat.userID)
  }

  /// The connections of the users on the stage, in no particular order.
  var seats: [Seat] {
    userIDs.flatMap { userID in
      audience.participants.connections(of: userID).map { Seat(userID: userID, session: $0) }
    }
  }

  /// Whether members of a group are here.
  package var hasMembers: Bool { record.group != nil && participantCount > 0 }

  /// Whether events or answers wait for the end of the turn.
  package var awaitsEndOfTurn: Bool { !queue.isEmpty || observers.awaitsEndOfTurn }

  /// Whether the channel is a group, as far as known here.
  var isOfGroup: Bool { record.group != nil }

  /// Whether no user is here or entering, and nothing waits; members of a group may be here.
  package var isIdle: Bool {
    (participantCount == 0 || record.group != nil) && queue.isEmpty && recoveries.isEmpty
      && observers.isEmpty && seating.isEmpty
  }

  /// Whether a user is on the stage.
  package func contains(_ userID: String) -> Bool { audience.participants.contains(userID) }

  /// The throttle of a user who is in the channel.
  package func throttle(of userID: String) -> Throttle? {
    audience.participants.throttle(of: userID)
  }

  /// The channel as known here.
  var lastInfo: ChannelInfo {
    ChannelInfo(record, participantCount: participantCount + elsewhereCount)
  }
}

// MARK: - Events

extension ChannelStage {
  private mutating func apply(
    _ event: ChannelEvent, at now: Moment, into actions: inout StageActions
  ) {
    if case .deletion(let messageID) = event.subject { updates.forget(messageID) }
    if case .mentionChange(let messageID) = event.subject { updates.forget(messageID) }
    reach(event, at: now)
    switch event.subject {
    case .message(let message):
      let excluded = audience.decide(message, at: now)
      if !excluded.isEmpty { actions.append(.withheld(excluded.count)) }
      publish(event.payload, except: event.author, excluded)
      if !excluded.isEmpty, !observers.isEmpty {
        reportWithheld(message.id, from: excluded.count, at: event.timestamp)
      }
    case .update(let messageID):
      let update = updates.offer(
        event, of: messageID, timestamp: event.timestamp, at: now.monotonic)
      if let update { publish(update, ofMessage: messageID) }
    case .mentionChange(let messageID): publish(event, ofMessage: messageID)
    case .deletion(let messageID):
      audience.forget(messageID)
      publish(event.payload, except: event.author)
    case .record(let channel):
      setRecord(channel)
      publish(event.payload, except: event.author)
    case .operators(let operators):
      record.operators = operators
      setRecord(record)
      publish(event.payload, except: event.author)
    case .expulsion(let userID):
      publish(event.payload, except: event.author)
      expel(userID, .banned, at: event.timestamp, into: &actions)
    case .admission(let userID):
      memberCounts.supersede()
      publish(event.payload, except: event.author)
      seating.begin(admitting: userID, with: event.payload)
      actions.append(.seek(userID: userID))
    case .departure(let userID, let reason):
      memberCounts.supersede()
      publish(event.payload, except: event.author)
      expel(userID, reason, at: event.timestamp, into: &actions)
    case .invitation:
      memberCounts.supersede()
      publish(event.payload, except: event.author)
    case .quietAdmission(let userID):
      notify(MemberNotice(userID: userID, payload: event.payload), into: &actions)
      seating.begin(admitting: userID, with: event.payload)
      actions.append(.seek(userID: userID))
    case .quietDeparture(let userID, let reason):
      notify(MemberNotice(userID: userID, payload: event.payload), into: &actions)
      expel(userID, reason, at: event.timestamp, into: &actions)
    case .end:
      publish(event.payload, except: event.author)
      expelAll(at: event.timestamp, into: &actions)
    case .announcement:
      publish(event.payload, except: event.author)
    }
  }

  /// Sets a new position in the channel's count, before its event is published.
  ///
  /// Held-back updates that the event may not overtake are published first.
  private mutating func reach(_ event: ChannelEvent, at now: Moment) {
    // An event without a number may follow events that were read from the log.
    lastSeq = max(lastSeq, event.seq)
    guard !updates.isIdle else { return }
    for update in updates.takeOvertaken(by: event.timestamp, at: now.monotonic) {
      publish(update: update)
    }
  }

  /// Publishes an update to all except those from whom the message was withheld.
  private mutating func publish(update event: ChannelEvent) {
    guard case .update(let messageID) = event.subject else { return }
    publish(event, ofMessage: messageID)
  }

  private mutating func publish(_ update: ChannelEvent, ofMessage messageID: Int64) {
    publish(update.payload, except: update.author, audience.slots(withheld: messageID))
  }

  /// Queues a notification for the end of the turn.
  private mutating func publish(
    _ payload: [UInt8], except author: SessionAddress?, _ excluded: SlotSet = SlotSet()
  ) {
    if !observers.isEmpty { observers.append(payload) }
    guard participantCount > 0 else { return }
    // Connection numbers are valid on one server only.
    let author = author.flatMap { $0.server == server ? $0 : nil }
    queue.append(payload, except: author, excluded)
  }

  /// Queues the number of participants from whom a message was withheld, for the observers.
  private mutating func reportWithheld(_ messageID: Int64, from count: Int, at time: Int64) {
    let event = Event.messageWithheld(Event.Withholding(messageID: messageID, count: count))
    observers.append(event.notification(from: EventOrigin(channelURL: url, timestamp: time)))
  }

  /// Sends the events and answers of the turn.
  mutating func flush(into actions: inout StageActions) {
    if observers.awaitsEndOfTurn { observers.flush(into: &actions) }
    queue.flush(of: url, to: audience.participants, into: &actions)
  }

  private mutating func setRecord(_ channel: Channel) {
    record = channel
    audience.setOperators(channel.operatorIDs)
  }
}

// MARK: - Observing and leaving

extension ChannelStage {
  /// Adds a connection that receives the channel's events without being in it.
  private mutating func observe(_ address: ReplyAddress, into actions: inout StageActions) {
    // The turn's events so far are not for the observer.
    flush(into: &actions)
    guard observers.add(address.session) else {
      return queue.append(.failure(.tooManyObservers(limit: Observers.limit)), to: address)
    }
    let result = lastInfo.encodedForEntering(epoch: epoch, seq: lastSeq, recovered: nil)
    actions.append(.admitObserver(address, result: result))
  }

  private mutating func leave(
    _ session: SessionAddress, of userID: String, into actions: inout StageActions
  ) {
    if audience.remove(session, of: userID) { actions.append(.left(userID: userID)) }
  }

  /// Removes a user with all its connections, after the event with the reason.
  private mutating func expel(
    _ userID: String, _ reason: DepartureReason, at time: Int64, into actions: inout StageActions
  ) {
    flush(into: &actions)
    for request in recoveries.removeAll(where: { $0.principal.user.id == userID }) {
      refuseRemoved(request, into: &actions)
    }
    guard let participant = audience.removeAll(of: userID) else { return }
    for session in participant.connections { actions.append(.unsubscribe(session)) }
    notifyOfLoss(reason, to: [participant], at: time, into: &actions)
    actions.append(.left(userID: userID))
  }

  /// Removes everyone, after the event with the reason.
  private mutating func expelAll(at time: Int64, into actions: inout StageActions) {
    flush(into: &actions)
    for request in recoveries.removeAll(where: { _ in true }) {
      refuse(request, .notFound(.channel, url), into: &actions)
    }
    for session in observers.removeAll() { actions.append(.unsubscribe(session)) }
    let participants = audience.removeAll()
    for participant in participants {
      for session in participant.connections { actions.append(.unsubscribe(session)) }
      actions.append(.left(userID: participant.userID))
    }
    notifyOfLoss(.deleted, to: participants, at: time, into: &actions)
  }
}

// MARK: - Members of a group

extension ChannelStage {
  /// Adds a connection of a joined member, which has not asked to enter.
  private mutating func add(_ seat: Seat, into actions: inout StageActions) {
    guard !audience.participants.contains(seat.session, of: seat.userID) else { return }
    // The turn's events so far happened before the connection was added.
    flush(into: &actions)
    _ = audience.add(
      seat.session, of: seat.userID, throttle: Throttle(), withheldIDs: [], since: lastSeq)
    actions.append(.subscribe(seat))
    if let event = seating.admission(of: seat.userID) {
      actions.append(.notify(event, [seat.session], shard: Int(seat.session.shard)))
    }
  }

  /// Takes the inputs that were held during a search, up to the next search.
  private mutating func endSearch(at now: Moment, into actions: inout StageActions) {
    seating.end()
    guard !seating.isWaiting else { return }
    let held = seating.takeHeld()
    for (index, input) in held.enumerated() {
      take(input, at: now, into: &actions)
      if seating.isWaiting { return seating.holdFirst(held[(index + 1)...]) }
    }
  }

  /// Notifies the connections of a member, after the turn's events so far.
  private mutating func notify(_ notice: MemberNotice, into actions: inout StageActions) {
    let connections = audience.participants.connections(of: notice.userID).filter {
      !notice.except.contains($0)
    }
    guard !connections.isEmpty else { return }
    flush(into: &actions)
    actions.notify(connections, [notice.payload])
  }

  /// Removes the connections of all members, which stay members.
  private mutating func disperse(into actions: inout StageActions) {
    flush(into: &actions)
    for participant in audience.removeAll() {
      for session in participant.connections { actions.append(.unsubscribe(session)) }
    }
  }

  /// Notifies the connections of former members that nothing of the group follows.
  private func notifyOfLoss(
    _ reason: DepartureReason, to participants: [Participant], at time: Int64,
    into actions: inout StageActions
  ) {
    guard record.group != nil else { return }
    let loss = Event.groupLost(Event.GroupLoss(reason)).notification(
      from: EventOrigin(channelURL: url, timestamp: time))
    actions.notify(participants.flatMap(\.connections), [loss])
  }
}

// MARK: - Another home

extension ChannelStage {
  /// Continues from the state of another home, or of the same home after a break.
  private mutating func resume(_ start: StageStart) {
    epoch = start.epoch
    lastSeq = start.seq
    recoveries.renew()
    audience.limit = start.throttleLimit
    setRecord(start.channel)
  }

  /// Makes all clients reconnect: events are lost, and can't be read.
  private mutating func abandon(into actions: inout StageActions) {
    flush(into: &actions)
    for session in observers.removeAll() { actions.append(.disconnect(session)) }
    for request in recoveries.removeAll(where: { _ in true }) {
      refuse(request, .internalError, into: &actions)
    }
    for participant in audience.removeAll() {
      for session in participant.connections { actions.append(.disconnect(session)) }
      actions.append(.left(userID: participant.userID))
    }
  }
}

// MARK: - Notices and deadlines

extension ChannelStage {
  /// Publishes everything that is due.
  private mutating func publishDue(at now: Moment, into actions: inout StageActions) {
    wakeTime = nil
    for (missed, connections) in audience.takeWithheld(at: now) {
      let notice = Event.throttled(Event.Throttling(missed)).notification(
        from: EventOrigin(channelURL: url, timestamp: now.unix))
      actions.notify(connections, [notice])
    }
    for update in updates.take(at: now.monotonic) { publish(update: update) }
    if let count = memberCounts.take(at: now.monotonic) {
      let event = Event.groupMemberCount(count).notification(
        from: EventOrigin(channelURL: url, timestamp: now.unix))
      publish(event, except: nil)
    }
  }

  /// Requests a wake-up at the next deadline, unless an earlier one was requested.
  private mutating func requestWake(into actions: inout StageActions) {
    var due = wakeTime ?? .max
    if let time = audience.due { due = min(due, time) }
    if let time = updates.due { due = min(due, time) }
    if let time = memberCounts.due { due = min(due, time) }
    guard due < wakeTime ?? .max else { return }
    wakeTime = due
    actions.append(.wake(at: due))
  }
}

extension Channel {
  fileprivate var operatorIDs: Set<String> { Set(operators.map(\.id)) }
}
