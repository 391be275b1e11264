import ParleyProtocol

/// The changes that members make of their own parts in a group, as far as the log has not answered.
///
/// The log finds the new state, since it knows all messages, and answers in the order of its entries. So
/// changes need not wait for each other, and each is applied to what was known before its answer.
struct PendingOwnChanges: Sendable {
  private struct Request: Sendable {
    let change: OwnChange
    let userID: String
    let sessions: [SessionAddress]
    /// Whether the change has waited for its time.
    let isLate: Bool
    /// Empty once the calls are answered.
    var calls: [CallID]
    /// The last event of the log when the outcome was found, if it was unknown.
    var readSeq: Int64?
  }

  private var requests: [Int64: Request] = [:]
  private var lastNumber: Int64 = 0
  private var marks = MarkPacer()

  var isEmpty: Bool { requests.isEmpty && marks.isEmpty }

  /// The time of the next ``releaseDue(in:at:into:)``; `nil` if no mark waits.
  var due: Int64? { marks.due }

  /// Submits a change, or lets a mark wait that is beyond the pace of its user.
  ///
  /// The Platform API has no pace.
  ///
  /// - Throws: 900020 for a caller who has not joined, 400201 for positions in an ephemeral group.
  mutating func begin(
    _ change: OwnChange, by principal: Principal, _ call: CallID, in standing: inout Standing,
    at now: Moment, into actions: inout JudgeActions
  ) throws(ServiceError) {
    guard let user = principal.user, standing.rights.members?.isJoined(user.id) == true else {
      throw .notJoined(standing.place.url)
    }
    let change = try change.allowed(in: standing.rights)
    let mark = ReadMark(change, of: user.id, call, on: principal.session)
    if change.isPaced, principal.boundUser != nil, !marks.admit(mark, at: now.monotonic) {
      if change.marksRead { actions.countInGroup(\.reads.late) }
      return actions.append(.pass(call))
    }
    submit(mark, isLate: false, in: &standing, at: now, into: &actions)
  }

  private mutating func submit(
    _ mark: ReadMark, isLate: Bool, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    lastNumber += 1
    requests[lastNumber] = Request(
      change: mark.change, userID: mark.userID, sessions: mark.sessions, isLate: isLate,
      calls: mark.calls)
    let visibleFrom = mark.change.beginsHistory ? standing.count.reserveTime(at: now) : 0
    let operation = LogOperation.changeOwn(
      mark.change, userID: mark.userID, visibleFrom: visibleFrom)
    actions.append(.submit(.own(lastNumber), .write(operation, standing.place)))
  }

  // MARK: Waiting

  /// Submits the waiting marks for which there is room.
  mutating func releaseDue(
    in standing: inout Standing, at now: Moment, into actions: inout JudgeActions
  ) {
    release(marks.takeDue(at: now.monotonic), in: &standing, at: now, into: &actions)
  }

  /// Submits all waiting marks.
  mutating func releaseAll(
    in standing: inout Standing, at now: Moment, into actions: inout JudgeActions
  ) {
    release(marks.takeAll(), in: &standing, at: now, into: &actions)
  }

  /// Cancels all waiting marks, which will be repeated at another judge.
  mutating func giveUpWaiting(_ error: ServiceError, into actions: inout JudgeActions) {
    for mark in marks.takeAll() { actions.answer(mark.calls, .failure(error)) }
  }

  private mutating func release(
    _ marks: [ReadMark], in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    for mark in marks {
      do throws(ServiceError) {
        // The user may have left meanwhile, and the group may have been deleted.
        try standing.rights.requireChannel()
        guard standing.rights.members?.isJoined(mark.userID) == true else {
          throw .notJoined(standing.place.url)
        }
        submit(mark, isLate: true, in: &standing, at: now, into: &actions)
      } catch {
        actions.answer(mark.calls, .failure(error))
      }
    }
  }

  // MARK: The log

  /// Handles the log's answer to a change.
  mutating func didLog(
    _ number: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let request = requests.removeValue(forKey: number) else { return }
    switch result {
    case .success(.own(let reading)):
      let former = standing.rights.members?[request.userID]
      if let seq = request.readSeq {
        standing.rights.put(reading.member, readAfter: seq)
      } else {
        standing.rights.put(reading.member)
      }
      standing.rights.raiseFloor(to: reading.floorOrdinal)
      let own = standing.own(reading, at: now.unix)
      actions.answer(
        request.calls,
        .success(request.change == .resetHistory ? .historyReset(own) : .own(own)))
      var hasMoved = false
      if let former, former.position.ordinal < reading.member.position.ordinal {
        hasMoved = true
        actions.append(.noteReading(userID: request.userID))
        standing.noteRead(
          by: reading.member, before: former, upTo: request.change.readMessageID, at: now)
      }
      if request.change.marksRead, !request.isLate {
        actions.countInGroup(hasMoved ? \.reads.moved : \.reads.same)
      }
      if former?.hasSameOwnPart(as: reading.member) == false {
        standing.notify(
          request.change.event(own), of: request.userID, except: request.sessions, at: now.unix,
          into: &actions)
      }
    case .failure(.missing(.member)):
      actions.answer(request.calls, .failure(.notJoined(standing.place.url)))
    case .failure(let error): actions.answer(request.calls, .failure(ServiceError(error)))
    case .success: actions.answer(request.calls, .failure(.internalError))
    }
  }

  // MARK: An unknown outcome

  /// Answers the caller of a change whose outcome is unknown.
  mutating func answerUnknown(
    _ number: Int64, _ error: ServiceError, into actions: inout JudgeActions
  ) {
    actions.answer(requests[number]?.calls ?? [], .failure(error))
    requests[number]?.calls = []
  }

  /// The log's answer, derived from a later read of the channel.
  mutating func settled(
    _ number: Int64, _ found: GroupReading, in standing: Standing
  ) -> LogResult {
    guard let request = requests[number], var own = found.own else {
      return .failure(.missing(.member))
    }
    own.member = own.member.unhidden(byMessagesUpTo: found.lastOrdinal)
    guard standing.rights.members?[request.userID]?.hasSameOwnPart(as: own.member) == false else {
      return .failure(.unavailable("the change was not made"))
    }
    requests[number]?.readSeq = found.lastSeq
    return .success(.own(own))
  }

  /// The read that shows whether a change was made.
  func settlingRead(_ number: Int64, in standing: Standing) -> LogRead? {
    requests[number].map {
      .group(
        channelID: standing.place.id, since: .max, readerID: $0.userID, memberLimit: 0)
    }
  }
}

extension OwnChange {
  /// Whether messages that exist are not visible after the change.
  fileprivate var beginsHistory: Bool {
    switch self {
    case .hide(let isClearing, _): isClearing
    case .resetHistory: true
    case .markRead, .markReadUntil, .markUnread, .unhide, .prefer, .preferPushes: false
    }
  }

  /// The change as a group permits it: an ephemeral one has no positions, and no message that would
  /// unhide it later.
  ///
  /// - Throws: 400201.
  fileprivate func allowed(in rights: Rights) throws(ServiceError) -> OwnChange {
    switch self {
    case .markRead, .markReadUntil, .markUnread, .resetHistory:
      try rights.requireKeptMessages()
      return self
    case .hide:
      return rights.channel.isEphemeral ? .hide(clearing: false, isArchived: true) : self
    case .unhide, .prefer, .preferPushes: return self
    }
  }

  /// Whether the change reads messages.
  fileprivate var marksRead: Bool {
    switch self {
    case .markRead, .markReadUntil: true
    case .markUnread, .hide, .unhide, .resetHistory, .prefer, .preferPushes: false
    }
  }

  /// Whether only some of a member's changes in a second are carried out at once.
  fileprivate var isPaced: Bool {
    switch self {
    case .markRead, .markReadUntil, .markUnread: true
    case .hide, .unhide, .resetHistory, .prefer, .preferPushes: false
    }
  }

  /// The message up to which the change reads, if it names one.
  fileprivate var readMessageID: Int64? {
    switch self {
    case .markRead(let id): id
    case .markReadUntil, .markUnread, .hide, .unhide, .resetHistory, .prefer, .preferPushes: nil
    }
  }

  /// The event for the member's other connections.
  fileprivate func event(_ own: OwnMembership) -> Event {
    switch self {
    case .hide: .groupHidden(own)
    case .unhide: .groupUnhidden(own)
    case .markRead, .markReadUntil, .markUnread, .resetHistory, .prefer, .preferPushes:
      .groupUnread(own)
    }
  }
}

extension Member {
  /// Whether nothing that its own changes affect differs.
  fileprivate func hasSameOwnPart(as other: Member) -> Bool {
    position == other.position && hiding == other.hiding && visibleFrom == other.visibleFrom
      && countPreference == other.countPreference && pushTrigger == other.pushTrigger
  }
}

extension Standing {
  /// A member's own part in the group.
  ///
  /// - Parameters:
  ///   - reading: The part as the log has it at this place among the entries.
  ///   - now: Unix milliseconds.
  func own(_ reading: OwnReading, at now: Int64) -> OwnMembership {
    let member = rights.members?[reading.member.user.id] ?? reading.member
    let unread =
      isEphemeral ? 0 : rights.members?.unreadCount(of: member, last: count.lastOrdinal) ?? 0
    return OwnMembership(
      member, inviter: reading.inviter, isOperator: rights.isOperator(member.user.id),
      mutedUntil: rights.restriction(.mute, of: member.user.id, at: now)?.endsAt ?? 0,
      lastOrdinal: count.lastOrdinal, unreadCount: unread,
      unreadMentionCount: isEphemeral ? 0 : reading.mentionCount)
  }

  /// Notifies the connections of a member of its own part.
  ///
  /// - Parameter sessions: The connections that receive the event only as the answers to their requests.
  func notify(
    _ event: Event, of userID: String, except sessions: [SessionAddress] = [], at now: Int64,
    into actions: inout JudgeActions
  ) {
    let notification = event.notification(
      from: EventOrigin(channelURL: place.url, timestamp: now))
    actions.append(
      .notifyMember(MemberNotice(userID: userID, payload: notification, except: sessions)))
  }
}
