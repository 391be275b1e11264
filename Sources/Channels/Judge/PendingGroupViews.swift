import ParleyProtocol

/// A call that is answered with a group.
struct GroupRequest: Sendable {
  let call: CallID?
  let principal: Principal
  /// The number of members in the answer.
  let memberLimit: Int
  var outcome = GroupAnswer.Outcome.viewed
}

/// The calls that wait for what only the log knows of a group: its last message and profiles.
struct PendingGroupViews: Sendable {
  private var requests: [Int64: GroupRequest] = [:]

  var isEmpty: Bool { requests.isEmpty }

  /// Asks the log, as the view of this number.
  mutating func begin(
    _ request: GroupRequest, _ number: Int64, in standing: Standing,
    into actions: inout JudgeActions
  ) {
    requests[number] = request
    actions.append(.read(.view(number), standing.read(for: request)))
  }

  /// Answers the call of this number; does nothing for the number of another view.
  ///
  /// If the group has changed since the reading, it is read again among the entries.
  mutating func didRead(
    _ number: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let request = requests[number] else { return }
    if case .success(.read(.group(let reading))) = result, !standing.rights.isDeleted,
      !standing.isCurrent(reading, for: request)
    {
      let read = LogOperation.read(standing.read(for: request))
      return actions.append(.submit(.groupView(number), .write(read, standing.place)))
    }
    didReadInPlace(number, result, in: &standing, at: now, into: &actions)
  }

  /// Answers the call of this number with what is true after all entries that were answered before.
  mutating func didReadInPlace(
    _ number: Int64, _ result: LogResult, in standing: inout Standing, at now: Moment,
    into actions: inout JudgeActions
  ) {
    guard let request = requests.removeValue(forKey: number) else { return }
    do throws(ServiceError) {
      // The caller may have left the group meanwhile.
      try standing.rights.requireChannel()
      try standing.rights.requireVisibility(to: request.principal)
      switch result {
      case .success(.read(.group(let reading))):
        standing.rights.raiseFloor(to: reading.floorOrdinal)
        let answer = standing.answer(request, reading, at: now.unix)
        if let user = request.principal.user, let own = answer.own,
          let event = request.outcome.notice(of: own)
        {
          standing.notify(event, of: user.id, at: now.unix, into: &actions)
        }
        actions.answer(request.call, .success(.group(answer)))
      case .success: throw .internalError
      case .failure(let error): throw ServiceError(error)
      }
    } catch {
      actions.answer(request.call, .failure(error))
    }
  }
}

extension GroupAnswer.Outcome {
  /// The event that notifies a member of its own part, which no call of its own has changed.
  fileprivate func notice(of own: OwnMembership) -> Event? {
    switch self {
    // The user may have hidden the group again meanwhile.
    case .unhidden: own.hiddenState == .unhidden ? .groupUnhidden(own) : nil
    case .recounted: .groupUnread(own)
    case .viewed, .created, .invited: nil
    }
  }
}

extension Standing {
  /// The read of what only the log knows of the group.
  fileprivate func read(for request: GroupRequest) -> LogRead {
    let principal = request.principal
    return .group(
      channelID: place.id, since: (try? rights.requireReading(principal)) ?? .max,
      readerID: rights.member(principal)?.user.id,
      memberLimit: rights.namesMembers(to: principal) ? request.memberLimit : 0)
  }

  /// Whether nothing that the answer shows has changed since a reading.
  ///
  /// A change of a position has no number.
  fileprivate func isCurrent(_ reading: GroupReading, for request: GroupRequest) -> Bool {
    let (known, read) = (
      rights.member(request.principal)?.position, reading.own?.member.position
    )
    return reading.lastSeq == count.recorded && read?.ordinal == known?.ordinal
      && read?.floor == known?.floor
  }

  fileprivate func answer(
    _ request: GroupRequest, _ reading: GroupReading, at now: Int64
  ) -> GroupAnswer {
    let principal = request.principal
    // A member who has joined since is in no reading that was made before.
    let own = rights.member(principal).map { member in
      reading.own ?? OwnReading(member, inviter: nil, floorOrdinal: reading.floorOrdinal)
    }
    let isReader = (try? rights.requireReading(principal)) != nil
    let reads = visibleReceipts(to: rights.member(principal))
    let online = sources.onlineUsers(reading.members.map(\.user.id))
    let members = reading.members.map {
      GroupMember(
        $0, isOperator: rights.isOperator($0.user.id),
        isMuted: rights.restriction(.mute, of: $0.user.id, at: now) != nil,
        isOnline: online.contains($0.user.id), reads)
    }
    return GroupAnswer(
      info: info, lastOrdinal: count.lastOrdinal, seq: count.last,
      lastMessage: isReader ? reading.lastMessage : nil,
      own: own.map { self.own($0, at: now) },
      members: rights.namesMembers(to: principal) ? members : nil, outcome: request.outcome)
  }
}

extension Rights {
  /// The caller as a member of the group.
  func member(_ principal: Principal) -> Member? {
    principal.user.flatMap { members?[$0.id] }
  }

  /// Whether the caller sees members in the group itself.
  func namesMembers(to principal: Principal) -> Bool {
    channel.group?.isSuper == false && showsMembers(to: principal)
  }

  /// Whether the caller sees who belongs to the group.
  func showsMembers(to principal: Principal) -> Bool {
    principal.boundUser == nil || member(principal) != nil
  }
}
