import ParleyProtocol

/// How far the members of a group have read, and how far their clients have received messages.
extension Standing {
  /// Whether members of the group learn how far others have read.
  var hasReceipts: Bool {
    sources.groupRules().hasReceipts(in: rights.channel, with: rights.members?.count ?? 0)
  }

  /// Whether members of the group learn how far the clients of others have received messages.
  var hasDeliveryReceipts: Bool { sources.groupRules().hasDeliveries && hasReceipts }

  /// The positions that a caller sees.
  ///
  /// - Parameter viewer: The caller as a member; `nil` for the Platform API.
  func visibleReceipts(to viewer: Member?) -> VisibleReceipts {
    VisibleReceipts(
      of: rights.channel, with: rights.members?.count ?? 0, under: sources.groupRules(),
      seenBy: viewer, unstored: deliveries.positions)
  }

  /// How far the joined members have read, and how far their clients have received messages.
  ///
  /// - Throws: 400108 for a user who has not joined, 400201 in an ephemeral group, 400920 for a group with
  ///   too many members.
  func receipts(for principal: Principal) throws(ServiceError) -> GroupReceipts {
    _ = try rights.requireReading(principal)
    try rights.requireKeptMessages()
    guard hasReceipts, let members = rights.members else {
      throw .noReceipts(place.url, limit: sources.groupRules().receiptMemberLimit)
    }
    return members.receipts(visibleReceipts(to: rights.member(principal)))
  }

  /// Notes that a member has read further, which counts as received.
  ///
  /// - Parameters:
  ///   - former: The member before.
  ///   - messageID: The message that the member has named.
  mutating func noteRead(
    by member: Member, before former: Member, upTo messageID: Int64?, at now: Moment
  ) {
    let rules = sources.groupRules()
    guard rules.hasReceipts(in: rights.channel, with: rights.members?.count ?? 0) else { return }
    let read = Event.Read(
      by: member.user.id, readAt: member.position.readAt, messageID: messageID)
    reads.note(read, at: now.monotonic)
    guard rules.hasDeliveries else { return }
    let visible = visibleReceipts(to: nil)
    guard let known = visible.deliveredAt(of: former),
      let deliveredAt = visible.deliveredAt(of: member), deliveredAt > known
    else { return }
    deliveries.moves.note(read, at: now.monotonic)
  }

  /// Notes that a client of a member has received a message, with all before it.
  mutating func noteDelivered(
    _ messageID: Int64, createdAt: Int64, to member: Member, at now: Moment,
    into actions: inout JudgeActions
  ) {
    let known = visibleReceipts(to: nil).deliveredAt(of: member) ?? .max
    guard createdAt > known else { return actions.countInGroup(\.deliveries.same) }
    actions.countInGroup(\.deliveries.moved)
    deliveries.note(createdAt, of: member.user.id, at: now.monotonic)
    deliveries.moves.note(
      Event.Read(by: member.user.id, readAt: createdAt, messageID: messageID), at: now.monotonic)
  }

  /// Publishes how far members have read, if that is due.
  mutating func publishReads(at now: Moment, into actions: inout JudgeActions) {
    let due = reads.take(at: now.monotonic)
    guard !due.isEmpty else { return }
    let privateIDs =
      sources.groupRules().allowsPrivateReads ? rights.members?.privateReaderIDs ?? [] : []
    let moves = due.filter {
      rights.members?.isJoined($0.userID) == true && !privateIDs.contains($0.userID)
    }
    guard !moves.isEmpty, hasReceipts else { return }
    actions.countInGroup(\.receipts, moves.count)
    let payload = Event.groupRead(Event.Reads(moves)).notification(
      from: EventOrigin(channelURL: place.url, timestamp: now.unix))
    actions.append(.notifyMembers(MembersNotice(payload: payload, exceptIDs: privateIDs)))
  }

  /// Publishes how far clients of members have received messages, if that is due.
  ///
  /// The read of a member who has come to keep its reads to itself is left out.
  mutating func publishDeliveries(at now: Moment, into actions: inout JudgeActions) {
    let due = deliveries.moves.take(at: now.monotonic)
    guard !due.isEmpty else { return }
    let visible = visibleReceipts(to: nil)
    let moves = due.filter { move in
      guard let member = rights.members?[move.userID] else { return false }
      return visible.deliveredAt(of: member).map { move.readAt <= $0 } ?? false
    }
    guard !moves.isEmpty else { return }
    actions.countInGroup(\.deliveryReceipts, moves.count)
    let payload = Event.groupDelivered(Event.Reads(moves)).notification(
      from: EventOrigin(channelURL: place.url, timestamp: now.unix))
    actions.append(.notifyMembers(MembersNotice(payload: payload, exceptIDs: [])))
  }

  /// Submits positions to the log.
  private func store(_ positions: [Delivery], into actions: inout JudgeActions) {
    guard !positions.isEmpty else { return }
    actions.append(.submit(.deliveries, .write(.deliver(positions), place)))
  }

  /// Stores the positions to which clients have received messages, if that is due.
  mutating func storeDueDeliveries(at now: Moment, into actions: inout JudgeActions) {
    let due = deliveries.takeDue(at: now.monotonic)
    if !due.isEmpty { store(due, into: &actions) }
  }

  /// Stores these positions at once.
  mutating func storeDeliveries(at now: Moment, into actions: inout JudgeActions) {
    guard !rights.isDeleted else { return }
    store(deliveries.takeAll(at: now.monotonic), into: &actions)
  }

  /// Handles the log's answer to stored positions.
  mutating func didStoreDeliveries(_ result: LogResult, at now: Moment) {
    switch result {
    case .success: rights.setDelivered(deliveries.didStore())
    case .failure: deliveries.didFail(at: now.monotonic)
    }
  }
}
