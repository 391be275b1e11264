import DequeModule
import ParleyProtocol

/// The search for the outcome of an entry whose commit was interrupted.
///
/// Until the outcome is found, nothing else is decided for the channel: the events that follow have
/// higher numbers than the entry's own. Commands wait for one read. If it fails they are refused,
/// and the next command or the end of a pause starts another read.
struct Settlement: Sendable {
  /// Milliseconds from a failed read to the next.
  static let pause: Int64 = 500

  /// The step that follows an input.
  enum Step {
    case wait
    /// Read from the log.
    case read
    /// The log could not be read: the calls that wait for the entry are answered.
    case fail
    /// The log has answered.
    case end(LogReading)
  }

  typealias Held = (input: JudgeInput, time: Moment)

  let entry: EntryID
  /// Whether a read is in progress.
  private var isReading = true
  /// The inputs that arrived meanwhile.
  private var held: Deque<Held> = []

  init(_ entry: EntryID) { self.entry = entry }

  /// Handles an input.
  mutating func take(
    _ input: JudgeInput, at now: Moment, into actions: inout JudgeActions
  ) -> Step {
    switch input {
    case .logged(entry, .success(.read(let reading))): return .end(reading)
    case .logged(entry, _):
      isReading = false
      refuseCommands(into: &actions)
      return .fail
    case .deadline where !isReading:
      isReading = true
      return .read
    case .deadline: return .wait
    case .command where !isReading, .importing where !isReading:
      held.append((input, now))
      isReading = true
      return .read
    case .command, .importing, .logged, .enriched, .hooked, .handedOver, .progressed, .exited,
      .endWaiting,
      .entered, .left, .floodLimitChanged, .wordFilterChanged, .retentionChanged, .blocked,
      .unblocked,
      .readPrivacyChanged, .restrictionsRemoved, .created, .metadataChanged:
      held.append((input, now))
      return .wait
    }
  }

  /// Returns the inputs that arrived meanwhile.
  func takeHeld() -> [Held] { Array(held) }

  private static let refusal = ServiceError(.unavailable("an outcome is unknown"))

  private mutating func refuseCommands(into actions: inout JudgeActions) {
    held.removeAll { held in
      guard let call = held.input.call else { return false }
      actions.answer(call, .failure(Self.refusal))
      return true
    }
  }
}

/// Changes of a channel for which it was unknown whether the log had made them.
extension ChannelChange {
  /// Whether a channel has the state that the change produces.
  func isIn(_ state: ChannelState) -> Bool {
    let operatorIDs = Set(state.channel.operators.map(\.id))
    return switch self {
    case .fields(let changes): changes.applied(to: state.channel) == state.channel
    case .freeze(let isFrozen): state.channel.isFrozen == isFrozen
    case .restrict(let kind, let restriction):
      state.restrictions(kind)[restriction.userID] == restriction
    case .lift(let kind, let userID): state.restrictions(kind)[userID] == nil
    case .addOperators(let ids): operatorIDs.isSuperset(of: ids)
    case .removeOperators(let ids): operatorIDs.isDisjoint(with: ids)
    // Operators that the judge adds in the same entry are always among the kept ones.
    case .keepOperators(let ids): operatorIDs.isSubset(of: ids)
    // None was a member before, and some may have been left out.
    case .invite(let ids, _, _): ids.contains { state.member($0) != nil }
    case .join(let userID, _, _): state.member(userID)?.state == .joined
    case .depart(let ids, _): ids.allSatisfy { state.member($0) == nil }
    }
  }
}

extension [ChannelChange] {
  /// The records of changes that were made in one entry, in this order.
  ///
  /// - Parameters:
  ///   - rights: The channel before them.
  ///   - time: Unix milliseconds of the entry.
  ///   - state: The channel after them.
  ///   - seq: The last event before them.
  func recorded(
    from rights: Rights, at time: Int64, to state: ChannelState, after seq: Int64
  ) -> [RecordedChange] {
    var seq = seq
    var operators = rights.channel.operators
    return map { change in
      guard change.makesDifference(to: rights, operators, at: time) else { return .unchanged }
      if let members = change.unnumberedMembers(from: rights, to: state) {
        return .members(members)
      }
      seq += 1
      defer { seq += change.furtherEvents(in: state) }
      switch change {
      case .fields, .freeze: return .made(seq: seq)
      case .restrict(_, let restriction):
        return .user(User(id: restriction.userID), seq: seq)
      case .lift(_, let userID): return .user(User(id: userID), seq: seq)
      case .keepOperators(let ids): operators.removeAll { !ids.contains($0.id) }
      case .removeOperators(let ids): operators.removeAll { ids.contains($0.id) }
      case .addOperators: operators = state.channel.operators
      case .invite(let ids, _, _):
        return .members(state.members(ids).recordedInvitation(from: seq))
      case .join(let userID, _, _):
        return .members(state.member(userID).map { [RecordedMember($0, seq: seq)] } ?? [])
      case .depart(let ids, _):
        let former = ids.compactMap { rights.members?[$0] }
        return .members(
          former.enumerated().map { RecordedMember($1, seq: seq + Int64($0)) })
      }
      return .operators(operators, seq: seq)
    }
  }
}

extension ChannelChange {
  /// The members that a change affects, in a group that reports only numbers of members; `nil` for other
  /// changes.
  fileprivate func unnumberedMembers(
    from rights: Rights, to state: ChannelState
  ) -> [RecordedMember]? {
    let members: [Member]
    switch self {
    case .invite(let ids, _, _): members = state.members(ids)
    case .join(let userID, _, _): members = state.members([userID])
    case .depart(let ids, _): members = ids.compactMap { rights.members?[$0] }
    case .fields, .freeze, .restrict, .lift, .addOperators, .removeOperators, .keepOperators:
      return nil
    }
    let count = state.members.count
    guard rights.channel.group?.reportsNumbersOnly(changingTo: count) == true else { return nil }
    return members.map { RecordedMember($0, seq: nil) }
  }

  /// The number of events after the first one.
  fileprivate func furtherEvents(in state: ChannelState) -> Int64 {
    switch self {
    case .fields, .freeze, .restrict, .lift, .addOperators, .removeOperators, .keepOperators,
      .join:
      0
    case .invite(let ids, _, _):
      (state.members(ids).recordedInvitation(from: 1).last { $0.member.state == .joined }?.seq
        ?? 1) - 1
    case .depart(let ids, _): Int64(ids.count) - 1
    }
  }

  fileprivate func makesDifference(
    to rights: Rights, _ operators: [User], at time: Int64
  ) -> Bool {
    let operatorIDs = Set(operators.map(\.id))
    return switch self {
    // The judge requests these only if they make a difference.
    case .fields, .freeze, .restrict: true
    case .lift(let kind, let userID): rights.restriction(kind, of: userID, at: time) != nil
    case .addOperators(let ids): !operatorIDs.isSuperset(of: ids)
    case .removeOperators(let ids): !operatorIDs.isDisjoint(with: ids)
    case .keepOperators(let ids): !operatorIDs.isSubset(of: ids)
    case .invite, .join, .depart: true
    }
  }
}

extension ChannelState {
  fileprivate func member(_ userID: String) -> Member? { members.first { $0.user.id == userID } }

  fileprivate func members(_ ids: [String]) -> [Member] { ids.compactMap(member) }

  fileprivate func restrictions(_ kind: RestrictionKind) -> [String: Restriction] {
    switch kind {
    case .ban: bans
    case .mute: mutes
    }
  }
}
