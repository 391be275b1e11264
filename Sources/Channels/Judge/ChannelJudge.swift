package import FloodControl
package import ParleyProtocol

/// The judge of one channel: decides who may do what, and what is written and published.
///
/// A pure value, used in place only. It handles inputs and appends actions for its host; it never
/// blocks, and owns no clock, connection or disk. ``PendingWork`` keeps the work that waits for the log.
///
///     command ──▶ judged ──▶ submit ──▶ log
///                   │                    │
///                refusal            logged ──▶ answer, publish
///
/// The judge is the only writer of its channel, so its memory matches the log. Its events are
/// published in the order of their numbers.
package struct ChannelJudge: ~Copyable, Sendable {
  private var work: PendingWork
  private var settlement: Settlement?

  /// - Parameters:
  ///   - state: The channel as stored in the log.
  ///   - members: The members of a group in it; `nil` if they are to be taken from the state.
  ///   - recentSends: The users' messages of the last flood window, oldest first.
  ///   - floodLimit: The channel's flood limit.
  ///   - exemptsOperators: Whether operators are exempt from the flood limit.
  ///   - loadedAt: The time of the reading, after which no send was missed.
  package init(
    _ state: ChannelState, members: Members? = nil, recentSends: [RecentSend] = [],
    floodLimit: RateLimit,
    exemptsOperators: Bool = false, loadedAt: Moment, sources: JudgeSources
  ) {
    let rights = Rights(
      state, members ?? Members(state), exemptsOperators: exemptsOperators)
    var flood = FloodWindows(limit: floodLimit)
    // The times are from the clock, which may have been set back since: the newest is then just now.
    let newest = max(loadedAt.unix, state.lastCreatedAt)
    for send in recentSends where !rights.isExemptFromFlood(send.userID) {
      flood.restore(send.userID, at: loadedAt.monotonic - max(newest - send.createdAt, 0))
    }
    let standing = Standing(
      place: state.place, sources: sources, rights: rights, flood: flood,
      count: EventCount(state, at: loadedAt.monotonic))
    work = PendingWork(standing, RequestMemory(unknownUntil: state.lastCreatedAt))
  }

  // MARK: Questions

  /// The channel as stored in the log.
  package var channel: Channel { work.standing.rights.channel }

  /// The channel's own retention of messages.
  package var retention: ChannelRetention { work.standing.rights.retention }

  /// The channel as clients see it.
  package var info: ChannelInfo { work.standing.info }

  package var operatorIDs: Set<String> { work.standing.rights.operatorIDs }

  /// Whether the channel was deleted.
  package var isDeleted: Bool { work.standing.rights.isDeleted }

  /// The number of the last event that was published.
  package var lastSeq: Int64 { work.standing.count.last }

  package var floodLimit: RateLimit { work.standing.flood.limit }

  /// Whether flood windows of recently active users are kept.
  package var hasFloodWindows: Bool { work.standing.flood.hasWindows }

  /// Whether the judge has no pending work, so that it may be discarded.
  package var isIdle: Bool { work.isEmpty && settlement == nil }

  /// The call that an entry is for; `nil` for the server's own entries, and when several calls share it.
  package func call(of entry: EntryID) -> CallID? { work.call(of: entry) }

  /// Whether members of the group will be notified of each other, by what is known in memory only, or positions
  /// in it are to be stored.
  package var hasNotices: Bool { work.standing.hasNotices }

  /// The positions that a caller sees; see ``VisibleReceipts``.
  ///
  /// - Parameter viewerID: `nil` for the Platform API.
  package func visibleReceipts(to viewerID: String?) -> VisibleReceipts {
    let standing = work.standing
    return standing.visibleReceipts(to: viewerID.flatMap { standing.rights.members?[$0] })
  }

  /// How far the joined members of a group with receipts have read and received messages; `nil` for another
  /// channel.
  package var receipts: GroupReceipts? {
    let standing = work.standing
    return standing.hasReceipts
      ? standing.rights.members?.receipts(standing.visibleReceipts(to: nil)) : nil
  }

  /// A restriction of a user that is in force.
  package func restriction(
    _ kind: RestrictionKind, of userID: String, at now: Int64
  ) -> Restriction? {
    work.standing.rights.restriction(kind, of: userID, at: now)
  }

  /// - Throws: 400201 for a deleted channel, 400750 for a banned user.
  package func requireEntering(_ userID: String, at now: Int64) throws(ServiceError) {
    try work.standing.rights.requireEntering(userID, at: now)
  }

  /// - Throws: 400201 in a channel that does not keep messages, or was deleted.
  package func requireKeptMessages() throws(ServiceError) {
    try work.standing.rights.requireKeptMessages()
  }

  /// A user's windows, and the obstacles to its next message; reading changes nothing.
  ///
  /// - Parameter userRefusals: The refusals by quotas, and by the user's window over all channels.
  package func sendCheck(
    of userID: String, _ userRefusals: [ServiceError], at now: Moment
  ) -> SendCheck {
    SendCheck(of: userID, userRefusals, in: work.standing, at: now)
  }

  /// The joined members of a group, in no particular order; `nil` for an open channel.
  package var joinedIDs: [String]? { work.standing.rights.members?.joinedIDs }

  /// The joined members of a group who have read a message from a time on, in Unix milliseconds.
  package func readers(since time: Int64) -> [String] {
    guard let members = work.standing.rights.members else { return [] }
    return members.joinedIDs.filter { (members[$0]?.position.readAt ?? 0) >= time }
  }

  /// The members of a group; `nil` for an open channel.
  package var members: Members? { work.standing.rights.members }

  /// The number of members of a group, joined or invited; 0 for an open channel.
  package var memberCount: Int { work.standing.rights.members?.count ?? 0 }

  /// Whether a user is a joined member of the group.
  package func isJoined(_ userID: String) -> Bool {
    work.standing.rights.members?.isJoined(userID) ?? false
  }

  /// The state of a member of the group; `nil` for a user who is no member.
  package func memberState(of userID: String) -> MemberState? {
    work.standing.rights.members?.state(of: userID)
  }

  /// The users with a mute in force.
  package func mutedIDs(at now: Int64) -> Set<String> { work.standing.rights.mutedIDs(at: now) }

  /// - Returns: The `created_at` of the oldest message that a user may read.
  /// - Throws: 400201 for a stranger of a private group, 400108 for who has not joined.
  package func requireReading(_ principal: Principal) throws(ServiceError) -> Int64 {
    try work.standing.rights.requireVisibility(to: principal)
    return try work.standing.rights.requireReading(principal)
  }

  /// - Returns: The `created_at` of the oldest message that a user may report.
  /// - Throws: As for reading, and 900020 for a user who is not in the channel.
  package func requireReporting(_ principal: SessionPrincipal) throws(ServiceError) -> Int64 {
    let rights = work.standing.rights
    try rights.requireChannel()
    let visibleFrom = try requireReading(.session(principal))
    guard rights.isPresent(principal.user.id) else { throw rights.refusal(by: .absent) }
    return visibleFrom
  }

  /// The past of a group as far as a caller may see it.
  ///
  /// - Throws: 400201 for a stranger of a private group, 400920 for an open channel, 400108 for others
  ///   who are no joined members.
  package func visibleHistory(
    of principal: SessionPrincipal
  ) throws(ServiceError) -> VisibleHistory {
    let messagesFrom = try requireReading(.session(principal))
    guard let members = work.standing.rights.members else {
      throw .wrongKind(work.standing.rights.channel.url, .open)
    }
    return VisibleHistory(
      messagesFrom: messagesFrom, eventsFrom: members[principal.user.id]?.joinedAt ?? messagesFrom)
  }

  /// - Throws: 400201 for a stranger of a private group, otherwise 400920 for a group.
  package func requireOpenChannel(_ principal: Principal) throws(ServiceError) {
    try work.standing.rights.requireVisibility(to: principal)
    try work.standing.rights.requireOpenChannel()
  }

  /// - Throws: 400201 for a stranger of a private group, 400920 for an open channel, 400108 for a
  ///   stranger of a public group.
  package func requireListingMembers(_ principal: Principal) throws(ServiceError) {
    let rights = work.standing.rights
    try rights.requireChannel()
    try rights.requireVisibility(to: principal)
    guard rights.members != nil else { throw .wrongKind(rights.channel.url, .open) }
    guard rights.showsMembers(to: principal) else {
      throw .notAllowed("only members of the group may do this")
    }
  }

  // MARK: Inputs

  /// Handles an input.
  package mutating func handle(
    _ input: JudgeInput, at now: Moment, into actions: inout JudgeActions
  ) {
    if settlement == nil {
      decide(input, at: now, into: &actions)
    } else {
      settle(input, at: now, into: &actions)
    }
    if work.standing.isGroup, settlement == nil { work.publishNotices(at: now, into: &actions) }
  }

  private mutating func decide(
    _ input: JudgeInput, at now: Moment, into actions: inout JudgeActions
  ) {
    switch input {
    case .command(let command, let principal, let call):
      work.perform(command, by: principal, call, at: now, into: &actions)
    case .importing(let message, let call):
      work.importMessage(message, call, at: now, into: &actions)
    case .logged(let entry, let result): take(result, for: entry, at: now, into: &actions)
    case .enriched(let id, let enrichment):
      work.enrich(id, with: enrichment, at: now, into: &actions)
    case .hooked(let id, let verdict): work.take(verdict, on: id, at: now, into: &actions)
    case .handedOver(let addition): work.add(addition, into: &actions)
    case .progressed(let id, let part): work.progress(id, with: part)
    case .entered(let userID): work.standing.rights.enter(userID)
    case .left(let userID):
      work.standing.rights.leave(userID)
      work.standing.typing.end(userID)
    case .floodLimitChanged(let limit): work.standing.flood.limit = limit
    case .wordFilterChanged(let filter): work.standing.sources.wordFilter = filter
    case .retentionChanged(let retention): work.standing.rights.retention = retention
    case .blocked(let block): work.standing.rights.add(block)
    case .unblocked(let block): work.standing.rights.remove(block)
    case .readPrivacyChanged(let userID, let hidesReads):
      work.standing.rights.setHidesReads(hidesReads, userID)
    case .restrictionsRemoved(let userID):
      work.standing.rights.lift(.ban, of: userID)
      work.standing.rights.lift(.mute, of: userID)
    case .created(let members):
      work.standing.publishFirstMembers(members, into: &actions)
    case .metadataChanged(let metadata): work.standing.rights.setMetadata(metadata)
    case .deadline: work.releaseDue(at: now, into: &actions)
    case .exited(let session): work.exited(session)
    case .endWaiting(let end): work.endWaiting(end, at: now, into: &actions)
    }
  }

  private mutating func take(
    _ result: LogResult, for entry: EntryID, at now: Moment, into actions: inout JudgeActions
  ) {
    if result.isUnknown, let read = work.settlingRead(of: entry) {
      settlement = Settlement(entry)
      actions.append(.submit(entry, .write(.read(read), work.standing.place)))
      return
    }
    work.take(result, for: entry, at: now, into: &actions)
    if result.isFenced { actions.append(.release) }
  }

  // MARK: An unknown outcome

  /// Handles an input while it is unknown whether an entry was written.
  private mutating func settle(
    _ input: JudgeInput, at now: Moment, into actions: inout JudgeActions
  ) {
    guard var settlement else { return }
    switch settlement.take(input, at: now, into: &actions) {
    case .wait: self.settlement = settlement
    case .read:
      self.settlement = settlement
      guard let read = work.settlingRead(of: settlement.entry) else { return }
      actions.append(
        .submit(settlement.entry, .write(.read(read), work.standing.place)))
    case .fail:
      self.settlement = settlement
      work.answerUnknown(settlement.entry, into: &actions)
      actions.append(.wake(at: now.monotonic + Settlement.pause))
    case .end(let reading):
      self.settlement = nil
      let result = work.settled(settlement.entry, reading)
      work.take(result, for: settlement.entry, at: now, into: &actions)
      for held in settlement.takeHeld() { handle(held.input, at: held.time, into: &actions) }
      // The settlement's wake-ups have replaced those of the waiting sends.
      if self.settlement == nil { work.releaseDue(at: now, into: &actions) }
    }
  }
}

extension LogResult {
  /// Whether another judge has taken the channel over.
  fileprivate var isFenced: Bool {
    if case .failure(.fenced) = self { true } else { false }
  }

  /// Whether the entry may or may not have been written.
  fileprivate var isUnknown: Bool {
    if case .failure(.unknown) = self { true } else { false }
  }
}
