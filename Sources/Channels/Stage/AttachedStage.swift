package import FloodControl
package import ParleyProtocol

/// A stage, with its attachment to the channel's home if the home is on another server.
///
/// A stage beside its home is used directly. Any other requests the channel from the home (`attach`),
/// and then applies the home's news in order. When the link breaks, or the channel gets another home,
/// the stage attaches again: it reads the missed events from the log, while later news wait, and then
/// continues. Connections of users who are not on the stage yet are admitted by the home (`admit`).
///
///     attach ──► asked ── attached, nothing missed ──────────────► attached
///                  └───── attached ──► repairing ── repaired ─────────┘
package struct AttachedStage: ~Copyable, Sendable {
  private enum Link: Sendable {
    /// The home is on the same server, and uses the stage directly.
    case beside
    /// The request to the home is pending.
    case asked
    /// The events up to the start are being read.
    case repairing(StageStart)
    case attached
    /// The channel was deleted, so no events follow.
    case ended
  }

  private let url: String
  private var stage: ChannelStage
  private var link: Link
  /// The number of the current attachment; 0, which is never assigned, if there is none.
  private var number: UInt64 = 0
  /// News that wait for the end of the repair, or of a last read for a connection.
  private var news: [StageNews] = []
  /// The last event that was read from the log while the home was silent; the home may resend it.
  private var polledSeq: Int64 = 0
  private var answers = EarlyAnswers()
  /// The reads for connections that must be answered before anything else happens.
  private var lastReads: Set<Int> = []
  private var admissions = StageAdmissions()
  /// The observers that wait for the attachment.
  private var observing: [ReplyAddress] = []
  /// The users who still have to be reported to the home.
  private var inventory = StageInventory()
  /// The users known to the participants here.
  private var announced = AnnouncedUsers.users([])
  /// The home that asked for connections, while its news have not begun; see ``MemberQuestion/home``.
  package private(set) var awaitedHome: UInt64?
  /// The number of news since the attachment that may have brought connections of a group's members.
  private var admissionCount = 0

  /// A stage that has had no home.
  package init(url: String, server: UInt16) {
    self.init(unknown: Channel(url: url, createdAt: 0), server: server)
  }

  /// The stage of a group that has had no home.
  package init(groupURL url: String, server: UInt16) {
    self.init(unknown: Channel(url: url, createdAt: 0, group: Group()), server: server)
  }

  private init(unknown channel: Channel, server: UInt16) {
    url = channel.url
    stage = ChannelStage(
      channel, epoch: "", lastSeq: 0,
      throttleLimit: RateLimit(count: 0, windowMilliseconds: 0), server: server)
    link = .asked
  }

  /// A stage beside its home.
  package init(_ stage: consuming ChannelStage, url: String) {
    self.url = url
    self.stage = stage
    link = .beside
  }

  /// Whether the channel's home uses the stage directly.
  package var isBesideHome: Bool {
    if case .beside = link { true } else { false }
  }

  /// Whether no user is here or entering, and nothing waits; members of a group may be here if the home
  /// is beside the stage.
  package var isIdle: Bool {
    (isBesideHome || stage.participantCount == 0) && stage.isIdle && admissions.isEmpty
      && answers.isEmpty && observing.isEmpty && !isWaiting
  }

  /// Whether the channel is a group.
  package var isOfGroup: Bool { stage.isOfGroup }

  /// Whether the home has ended the stage, or the channel was deleted.
  package var hasEnded: Bool { if case .ended = link { true } else { false } }

  /// The report of an idle stage of a group; `nil` while the home might not know the stage.
  package var vacancy: StageReport? {
    if case .attached = link { .vacant(admissions: admissionCount) } else { nil }
  }

  /// The last event that the stage has applied, from which it can continue with the log.
  package var position: StreamPosition? {
    guard !isBesideHome, !stage.epoch.isEmpty, !stage.lastInfo.channel.isEphemeral else {
      return nil
    }
    return StreamPosition(epoch: stage.epoch, seq: stage.lastSeq)
  }

  package var awaitsEndOfTurn: Bool { stage.awaitsEndOfTurn }

  /// Whether members of a group are here.
  package var hasMembers: Bool { stage.hasMembers }

  package func contains(_ userID: String) -> Bool { stage.contains(userID) }

  /// Whether a connection of a member is here.
  package func contains(_ seat: Seat) -> Bool { stage.contains(seat) }

  /// The throttle of a user who is here.
  package func throttle(of userID: String) -> Throttle? { stage.throttle(of: userID) }

  /// Whether news wait.
  private var isWaiting: Bool {
    if case .repairing = link { true } else { !lastReads.isEmpty }
  }

  /// Handles an input for the stage itself, and appends the resulting actions to `actions`.
  package mutating func handle(
    _ input: StageInput, at now: Moment, into actions: inout StageActions
  ) {
    guard !isBesideHome else { return stage.handle(input, at: now, into: &actions) }
    switch input {
    case .observe(let address): observing.append(address)
    case .unobserve(let session):
      observing.removeAll { $0.session == session }
      pass(input, at: now, into: &actions)
    case .recovered(let number, _):
      // The answer may start the last read, which has the same number.
      lastReads.remove(number)
      pass(input, at: now, into: &actions)
      takeWaiting(at: now, into: &actions)
      if !answers.isEmpty { passAnswers(at: now, into: &actions) }
    case .apply, .record, .enter, .recover, .refuse, .leave, .notice, .notify, .notifyMembers,
      .memberCount, .throttle, .elsewhere, .resume, .abandon, .seek, .seats, .seat, .strangers,
      .disperse, .answer, .answerInOrder, .deadline, .endOfTurn:
      pass(input, at: now, into: &actions)
    }
    if !observing.isEmpty { passObservers(at: now, into: &actions) }
  }

  /// Handles an input from the channel's home, and appends the resulting actions to `actions`.
  package mutating func handle(
    _ input: AttachmentInput, at now: Moment, into actions: inout StageActions
  ) {
    switch input {
    case .attach(let number): attach(number, into: &actions)
    case .await(let number, let home): (self.number, awaitedHome) = (number, home)
    case .news(let number, let news):
      for (index, item) in news.enumerated() {
        guard number == self.number else {
          give(up: news[index...], into: &actions)
          break
        }
        // The home continues with the users while events are being repaired.
        if case .next = item {
          reportPiece(into: &actions)
        } else {
          take(item, at: now, into: &actions)
        }
      }
    case .repaired(let number, let result, let awaited):
      guard number == self.number, case .repairing(let start) = link else { return }
      didRepair(start, result, awaited, at: now, into: &actions)
    case .polled(let events, let epoch, let awaited):
      if epoch == stage.epoch { take(polled: events, awaited, at: now, into: &actions) }
    case .enter(let request): enter(request, at: now, into: &actions)
    case .answer(let address, let outcome, let seq):
      answers.append(outcome, to: address, after: seq)
    case .released(let known): announced = known
    }
    if !answers.isEmpty { passAnswers(at: now, into: &actions) }
    if !observing.isEmpty { passObservers(at: now, into: &actions) }
  }

  /// Passes an input to the stage.
  ///
  /// The last read for a connection comes after all events that are known here, so it must be
  /// answered before anything else happens.
  private mutating func pass(
    _ input: StageInput, at now: Moment, into actions: inout StageActions
  ) {
    let count = actions.list.count
    stage.handle(input, at: now, into: &actions)
    for index in count..<actions.list.count {
      if case .read(let read) = actions.list[index], read.path == .behindWrites {
        lastReads.insert(read.number)
      }
    }
  }

  private mutating func takeWaiting(at now: Moment, into actions: inout StageActions) {
    guard !isWaiting else { return }
    let waiting = news
    news = []
    for item in waiting { take(item, at: now, into: &actions) }
  }

  /// Returns waiting answers, once all events before them are applied.
  ///
  /// A deleted channel has no events to wait for.
  private mutating func passAnswers(at now: Moment, into actions: inout StageActions) {
    guard isAttached, !isWaiting else { return }
    let lastSeq = if case .ended = link { Int64.max } else { stage.lastSeq }
    for (address, outcome) in answers.take(upTo: lastSeq) {
      pass(.answer(address, outcome), at: now, into: &actions)
    }
  }

  // MARK: Attaching

  private mutating func attach(_ number: UInt64, into actions: inout StageActions) {
    endAttachment(into: &actions)
    self.number = number
    lastReads = []
    inventory = StageInventory(userIDs: stage.userIDs)
    let attachment = StageAttachment(
      epoch: stage.epoch, seq: stage.lastSeq,
      announced: stage.participantCount > 0 && !isOfGroup ? announced : nil)
    actions.append(.report(.attach(attachment)))
    reportPiece(into: &actions)
    for question in admissions.questions { actions.append(.report(question)) }
  }

  /// Ignores news until the next attachment, which begins with the missing events.
  private mutating func endAttachment(into actions: inout StageActions) {
    number = 0
    link = .asked
    give(up: news[...], into: &actions)
    news = []
  }

  /// Keeps what news of an ended attachment contain beside events, which are read from the log: answers, and
  /// connections, which are in the group for its home, and would miss everything here.
  private mutating func give(up news: ArraySlice<StageNews>, into actions: inout StageActions) {
    answers.append(of: news)
    for case .seat(let seat) in news { actions.append(.renew(seat)) }
  }

  private mutating func reportPiece(into actions: inout StageActions) {
    actions.append(.report(.arrive(inventory.next { stage.contains($0) })))
  }

  private mutating func begin(
    from start: StageStart, at now: Moment, into actions: inout StageActions
  ) {
    admissionCount = 0
    awaitedHome = nil
    let isNew = stage.epoch.isEmpty || start.channel.isEphemeral
    guard !isNew else { return resume(start, at: now, into: &actions) }
    if isOfGroup, start.epoch == stage.epoch, start.seq < stage.lastSeq {
      // The news that were kept for this server contain events that have been read from the log.
      let known = stage.lastSeq
      resume(start.advanced(to: known), at: now, into: &actions)
      polledSeq = known
      return
    }
    guard start.epoch == stage.epoch, start.seq >= stage.lastSeq else {
      pass(.abandon, at: now, into: &actions)
      return resume(start, at: now, into: &actions)
    }
    guard start.seq > stage.lastSeq else { return resume(start, at: now, into: &actions) }
    link = .repairing(start)
    actions.append(.repair(number, channelID: start.channelID, after: stage.lastSeq))
  }

  private mutating func didRepair(
    _ start: StageStart, _ result: Result<[DurableEvent]?, ServiceError>,
    _ awaited: [AwaitedSend], at now: Moment, into actions: inout StageActions
  ) {
    switch result {
    case .failure:
      endAttachment(into: &actions)
      actions.append(.reattach)
      return
    case .success(nil): pass(.abandon, at: now, into: &actions)
    case .success(let events?):
      let info = ChannelInfo(start.channel, participantCount: stage.participantCount)
      let repaired = RepairedEvents(
        events, in: stage.lastSeq + 1...start.seq, of: info, awaited: awaited)
      apply(repaired, at: now, into: &actions)
    }
    resume(start, at: now, into: &actions)
    takeWaiting(at: now, into: &actions)
  }

  private mutating func resume(
    _ start: StageStart, at now: Moment, into actions: inout StageActions
  ) {
    link = .attached
    polledSeq = 0
    if start.epoch != stage.epoch { answers.forgetPositions() }
    pass(.resume(start), at: now, into: &actions)
  }

  // MARK: News

  private mutating func take(
    _ item: StageNews, at now: Moment, into actions: inout StageActions
  ) {
    guard !isWaiting else {
      news.append(item)
      return
    }
    if item.isAdmission { admissionCount += 1 }
    switch item {
    case .attached(let start):
      if let known = start.announced { announced = known }
      begin(from: start, at: now, into: &actions)
    case .next: reportPiece(into: &actions)
    case .absent: end(at: now, into: &actions)
    case .released:
      endAttachment(into: &actions)
      actions.append(.reattach)
    case .dispersed:
      link = .ended
      pass(.disperse, at: now, into: &actions)
    case .seat(let seat):
      // Before the start, it was for an earlier attachment.
      if case .asked = link { return actions.append(.renew(seat)) }
      pass(.seat(seat), at: now, into: &actions)
    case .memberNotice(let notice): pass(.notify(notice), at: now, into: &actions)
    case .membersNotice(let notice): pass(.notifyMembers(notice), at: now, into: &actions)
    case .memberCount(let count): pass(.memberCount(count), at: now, into: &actions)
    case .strangers(let userIDs): pass(.strangers(userIDs), at: now, into: &actions)
    case .admitted(let number, let result):
      guard var request = admissions.take(number) else { return }
      switch result {
      case .success(let isElsewhere):
        request.isElsewhere = isElsewhere
        pass(.enter(request), at: now, into: &actions)
      case .failure(let error): pass(.refuse(request, error), at: now, into: &actions)
      }
    case .event(let event):
      // An event without a number is in no log.
      guard event.seq > polledSeq || !event.isNumbered else { return }
      pass(.apply(event), at: now, into: &actions)
    case .notice(let notice):
      announced.apply(notice.mark)
      pass(.notice(notice), at: now, into: &actions)
    case .record(let channel): pass(.record(channel), at: now, into: &actions)
    case .throttle(let limit): pass(.throttle(limit), at: now, into: &actions)
    case .elsewhere(let count): pass(.elsewhere(count), at: now, into: &actions)
    case .answer(let address, let outcome):
      pass(.answer(address, outcome), at: now, into: &actions)
    }
  }

  /// Applies events from the log that the home could not send.
  ///
  /// While another read is in progress the events are left to a later one.
  private mutating func take(
    polled events: [DurableEvent], _ awaited: [AwaitedSend], at now: Moment,
    into actions: inout StageActions
  ) {
    guard !isWaiting, let last = events.last?.seq, last > stage.lastSeq else { return }
    let missed = RepairedEvents(
      events, in: stage.lastSeq + 1...last, of: stage.lastInfo, awaited: awaited)
    polledSeq = last
    apply(missed, at: now, into: &actions)
  }

  /// Applies events from the log.
  ///
  /// In a group, connections are made ready once more if they cannot count by the events.
  private mutating func apply(
    _ events: RepairedEvents, at now: Moment, into actions: inout StageActions
  ) {
    for event in events.list { pass(.apply(event), at: now, into: &actions) }
    guard isOfGroup, events.hideCounts else { return }
    for seat in stage.seats { actions.append(.renew(seat)) }
  }

  /// Removes everyone: the channel was deleted while the stage had no home.
  private mutating func end(at now: Moment, into actions: inout StageActions) {
    link = .ended
    for address in observing {
      actions.append(.reply(address, .failure(.notFound(.channel, url))))
    }
    observing = []
    for request in admissions.removeAll() {
      pass(.refuse(request, .notFound(.channel, url)), at: now, into: &actions)
    }
    guard !stage.isIdle else { return }
    let event = ChannelEvent(
      .channelDeleted(stage.lastInfo), in: url, seq: stage.lastSeq + 1, at: now.unix, author: nil)
    pass(.apply(event), at: now, into: &actions)
  }

  // MARK: Entering

  /// Admits a connection: at once if its user is here, otherwise once the home agrees.
  private mutating func enter(
    _ request: EnterRequest, at now: Moment, into actions: inout StageActions
  ) {
    guard !stage.contains(request.principal.user.id) || !isAttached else {
      return pass(.enter(request), at: now, into: &actions)
    }
    actions.append(.report(admissions.ask(about: request)))
  }

  private var isAttached: Bool {
    switch link {
    case .attached, .ended: true
    case .beside, .asked, .repairing: false
    }
  }

  /// Admits the observers that waited for the attachment.
  private mutating func passObservers(at now: Moment, into actions: inout StageActions) {
    guard isAttached, !isWaiting else { return }
    let waiting = observing
    observing = []
    for address in waiting { pass(.observe(address), at: now, into: &actions) }
  }
}
