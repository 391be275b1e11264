import ParleyProtocol

/// Decides who may do what in a channel, for sessions and for the Platform API.
///
/// The rules for participants do not apply to the Platform API: it need not be an operator, or in
/// the channel, and freezing, muting and the flood limit do not affect it. A ban does: a user who
/// may not be in the channel may not post there through another interface either. In a group the
/// author must be a joined member.
struct Rights: Sendable {
  /// The channel as stored in the log.
  private(set) var channel: Channel {
    didSet { operatorIDs = Set(channel.operators.map(\.id)) }
  }
  private(set) var operatorIDs: Set<String>
  private(set) var isDeleted = false
  private var isHeld: Bool
  private var bans: [String: Restriction]
  private var mutes: [String: Restriction]
  private var presentIDs: Set<String> = []
  /// `nil` in an open channel.
  private(set) var members: Members?
  private let exemptsOperators: Bool

  /// - Parameters:
  ///   - members: `nil` in an open channel.
  ///   - exemptsOperators: Whether operators are exempt from the flood limit.
  init(_ state: ChannelState, _ members: Members?, exemptsOperators: Bool) {
    channel = state.channel
    isHeld = state.isHeld
    operatorIDs = Set(state.channel.operators.map(\.id))
    bans = state.bans
    mutes = state.mutes
    self.members = members
    self.exemptsOperators = exemptsOperators
  }

  // MARK: Questions

  /// The channel's own retention of messages.
  var retention: ChannelRetention {
    get { ChannelRetention(survivalSeconds: channel.survivalSeconds, isHeld: isHeld) }
    set {
      channel.survivalSeconds = newValue.survivalSeconds
      isHeld = newValue.isHeld
    }
  }

  /// The users in the channel.
  var presentCount: Int { presentIDs.count }

  /// Whether a user takes part: in an open channel by being there, in a group as a joined member.
  func isPresent(_ userID: String) -> Bool {
    members?.isJoined(userID) ?? presentIDs.contains(userID)
  }

  func isOperator(_ userID: String) -> Bool { operatorIDs.contains(userID) }

  /// A restriction that is in force.
  func restriction(_ kind: RestrictionKind, of userID: String, at now: Int64) -> Restriction? {
    let restrictions =
      switch kind {
      case .ban: bans
      case .mute: mutes
      }
    return restrictions[userID].flatMap { $0.endsAt > now ? $0 : nil }
  }

  /// The users with a mute in force.
  func mutedIDs(at now: Int64) -> Set<String> {
    Set(mutes.lazy.filter { $0.value.endsAt > now }.map(\.key))
  }

  /// Whether an obstacle prevents a user from sending now.
  func stands(_ obstacle: SendingObstacle, against userID: String, at now: Int64) -> Bool {
    switch obstacle {
    case .banned: restriction(.ban, of: userID, at: now) != nil
    case .absent: !isPresent(userID)
    case .frozen: channel.isFrozen && !isOperator(userID)
    case .muted: restriction(.mute, of: userID, at: now) != nil
    }
  }

  /// Whether the flood limit applies to a principal.
  func isFloodLimited(_ principal: Principal) -> Bool {
    switch principal {
    case .platform: false
    case .session(let session): !isExemptFromFlood(session.user.id)
    case .background(let user): !isExemptFromFlood(user.id)
    }
  }

  /// Whether a user is an operator who is exempt from the flood limit.
  func isExemptFromFlood(_ userID: String) -> Bool { exemptsOperators && isOperator(userID) }

  /// The messages that a principal may change.
  func changeRight(of principal: Principal) -> ChangeRight {
    switch principal {
    case .platform: .everyMessage
    case .session(let session):
      isOperator(session.user.id) ? .everyMessage : .messages(of: session.user.id)
    case .background: .messages(of: "")
    }
  }

  // MARK: Requirements

  /// - Throws: 400201 for a deleted channel.
  func requireChannel() throws(ServiceError) {
    guard !isDeleted else { throw .notFound(.channel, channel.url) }
  }

  /// - Throws: 400201 for a deleted channel, 400750 for a banned user, 400920 for a group.
  func requireEntering(_ userID: String, at now: Int64) throws(ServiceError) {
    try requireChannel()
    try requireVisibility(toUser: userID)
    try requireOpenChannel()
    try requireNoBan(userID, at: now)
  }

  /// - Throws: 400750.
  func requireNoBan(_ userID: String, at now: Int64) throws(ServiceError) {
    guard restriction(.ban, of: userID, at: now) == nil else { throw .banned(channel.url) }
  }

  /// - Throws: 400201 for a deleted channel, 400108 for callers who are not operators.
  func requireOperating(_ principal: Principal) throws(ServiceError) {
    try requireChannel()
    switch principal {
    case .platform: break
    case .background: throw .notAllowed("only operators of the channel may do this")
    case .session(let session):
      // An operator who has left a group keeps the role for its return, without the rights.
      guard isOperator(session.user.id), members?.isJoined(session.user.id) != false else {
        throw .notAllowed("only operators of the channel may do this")
      }
    }
  }

  /// - Throws: The reason why the principal may not send any message: 400201, 400750, 900020,
  ///   900050 or 900041, in this order.
  func requireSending(_ principal: Principal, at now: Int64) throws(ServiceError) {
    try requireChannel()
    guard let user = principal.user else { return }
    for obstacle in SendingObstacle.allCases where holds(obstacle, for: principal) {
      if stands(obstacle, against: user.id, at: now) { throw refusal(by: obstacle) }
    }
  }

  /// Whether an obstacle is checked for a principal: only bans apply to the Platform API, which sends
  /// to a group for joined members only.
  private func holds(_ obstacle: SendingObstacle, for principal: Principal) -> Bool {
    switch principal {
    case .session: true
    case .platform: obstacle == .banned || obstacle == .absent && members != nil
    case .background: obstacle != .absent || members != nil
    }
  }

  /// The error returned to a sender.
  func refusal(by obstacle: SendingObstacle) -> ServiceError {
    switch obstacle {
    case .banned: .banned(channel.url)
    case .absent: members == nil ? .notInChannel(channel.url) : .notJoined(channel.url)
    case .frozen: .frozen(channel.url)
    case .muted: .muted(channel.url)
    }
  }

  /// Users who may not send may not publish text by editing either.
  ///
  /// - Throws: 400201 if there are no messages to edit, otherwise 400750, 900050 or 900041.
  func requireEditing(_ principal: Principal, at now: Int64) throws(ServiceError) {
    try requireKeptMessages()
    guard case .session(let session) = principal else { return }
    for obstacle in SendingObstacle.allCases where obstacle != .absent || members != nil {
      if stands(obstacle, against: session.user.id, at: now) { throw refusal(by: obstacle) }
    }
  }

  /// Polls and counters are open to any participant who may send.
  ///
  /// - Throws: 400201 if there are no messages, otherwise as for sending.
  func requireCounting(_ principal: Principal, at now: Int64) throws(ServiceError) {
    try requireKeptMessages()
    guard case .session = principal else { return }
    try requireSending(principal, at: now)
  }

  /// - Throws: 400201 in a channel that does not keep messages, or was deleted.
  func requireKeptMessages() throws(ServiceError) {
    try requireChannel()
    guard !channel.isEphemeral else { throw .notKept(inEphemeralChannel: channel.url) }
  }

  /// - Throws: 400108 while a legal hold keeps all messages of the channel.
  func requireNoHold() throws(ServiceError) {
    guard !isHeld else { throw .held(channel.url) }
  }

  /// - Throws: 400203 for a restriction beyond the channel's limit.
  func requireRoom(
    for kind: RestrictionKind, of userID: String, at now: Int64
  ) throws(ServiceError) {
    let (restrictions, noun) =
      switch kind {
      case .ban: (bans, "bans")
      case .mute: (mutes, "mutes")
      }
    guard restrictions.count >= Limits.restrictionCount, restrictions[userID] == nil else { return }
    let count = restrictions.values.count { $0.endsAt > now }
    guard count < Limits.restrictionCount else {
      throw .tooManyRestrictions(noun, limit: Limits.restrictionCount)
    }
  }

  // MARK: Changes

  mutating func enter(_ userID: String) { presentIDs.insert(userID) }

  mutating func leave(_ userID: String) { presentIDs.remove(userID) }

  /// Applies the record that the log has now, except for the retention, whose changes are applied in their own
  /// order.
  mutating func apply(_ channel: Channel) {
    var channel = channel
    channel.survivalSeconds = self.channel.survivalSeconds
    self.channel = channel
  }

  /// Applies what may have changed outside the judge: the operators' profiles and the metadata.
  mutating func refresh(from channel: Channel) {
    let profiles = Dictionary(channel.operators.map { ($0.id, $0) }) { first, _ in first }
    var known = self.channel
    known.operators = known.operators.map { profiles[$0.id] ?? $0 }
    known.metadata = channel.metadata
    known.group = channel.group
    self.channel = known
  }

  mutating func apply(_ group: Group) { channel.group = group }

  mutating func setMetadata(_ metadata: [String: String]) { channel.metadata = metadata }

  /// Applies a restriction; ended ones are dropped if there are many.
  mutating func impose(_ kind: RestrictionKind, _ restriction: Restriction) {
    switch kind {
    case .ban: bans.put(restriction)
    case .mute: mutes.put(restriction)
    }
  }

  mutating func lift(_ kind: RestrictionKind, of userID: String) {
    switch kind {
    case .ban: bans[userID] = nil
    case .mute: mutes[userID] = nil
    }
  }

  /// Adds a member of a group, or changes its state.
  mutating func put(_ member: Member) { members?.put(member) }

  /// Changes a member to its state in the log after an event, which may follow here.
  mutating func put(_ member: Member, readAfter seq: Int64) {
    members?.put(member, readAfter: seq)
  }

  /// Raises positions to which clients have received messages, by user.
  mutating func setDelivered(_ positions: [String: Int64]) { members?.setDelivered(positions) }

  /// Notes whether a user keeps to itself how far it has read.
  mutating func setHidesReads(_ hidesReads: Bool, _ userID: String) {
    members?.setHidesReads(hidesReads, userID)
  }

  mutating func removeMember(_ userID: String) { members?.remove(userID) }

  /// Notes that a joined member has sent a message, and has read up to it.
  ///
  /// - Returns: Whether messages before it were unread until then.
  mutating func advance(
    _ userID: String, to ordinal: Int64, at createdAt: Int64, seq: Int64
  ) -> Bool {
    members?.advance(userID, to: ordinal, at: createdAt, seq: seq) ?? false
  }

  /// Notes a message of a joined member that does not move its position.
  mutating func countOwn(_ userID: String, seq: Int64) {
    members?.countOwn(userID, seq: seq)
  }

  /// Notes a message that is unread for neither member of a group of two.
  mutating func disregard(_ ordinal: Int64, for blockerID: String) {
    members?.disregard(ordinal, for: blockerID)
  }

  /// Notes that a message of a group was deleted.
  mutating func uncount(_ ordinal: Int64, by userID: String?, seq: Int64) {
    members?.uncount(ordinal, by: userID, seq: seq)
  }

  /// Notes that the mentions of a message of a group have changed.
  mutating func noteMentions(
    ofMessage ordinal: Int64, by authorID: String?, editedBy editorID: String?
  ) {
    members?.noteMentions(ofMessage: ordinal, by: authorID, editedBy: editorID)
  }

  /// The members who must be notified of their numbers of unread messages.
  mutating func takeMiscountingIDs() -> [String] { members?.takeMiscountingIDs() ?? [] }

  /// Notes that the messages of a group up to one have expired.
  mutating func raiseFloor(to ordinal: Int64) { members?.raiseFloor(to: ordinal) }

  /// Ends the hiding of a group, which a message has ended.
  ///
  /// - Returns: The members for whom it has ended.
  mutating func unhide(atMessage ordinal: Int64) -> [String] {
    members?.unhide(atMessage: ordinal) ?? []
  }

  /// A user that is being deleted is no longer the creator of a group.
  mutating func forgetCreator(_ userID: String) {
    if channel.group?.createdBy?.id == userID { channel.group?.createdBy = nil }
  }

  mutating func delete() { isDeleted = true }
}

extension [String: Restriction] {
  fileprivate mutating func put(_ restriction: Restriction) {
    if count >= Limits.restrictionCount { self = filter { $0.value.endsAt > restriction.startsAt } }
    self[restriction.userID] = restriction
  }
}

/// The messages that a caller may change.
enum ChangeRight: Sendable, Hashable {
  case everyMessage
  case messages(of: String)

  func covers(_ message: Message) -> Bool {
    switch self {
    case .everyMessage: true
    case .messages(of: let userID): message.user?.id == userID
    }
  }

  /// - Throws: 400108.
  func require(_ message: Message) throws(ServiceError) {
    guard covers(message) else {
      throw .notAllowed("only its author and operators may change a message")
    }
  }
}
