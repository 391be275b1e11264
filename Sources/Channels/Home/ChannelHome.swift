package import ParleyProtocol

/// A channel's home without its judge: the users in the channel, and the stages on other servers.
///
/// The home sends each of these stages the output of a turn in one packet: the events, encoded
/// once, notices, and the answers to calls of sessions there, all in order. A pure value that can't be
/// copied, so its host can only use it in place.
///
///     stage ── report ──►┌──────┐── present, absent ──► judge
///     judge ── event ───►│ home │── notice ───────────► stage on this server
///                        └──────┘── packet ───────────► stages on other servers
package struct ChannelHome: ~Copyable, Sendable {
  /// The server that is the home of the channel.
  private let server: UInt16
  private var presence: ChannelPresence
  var stages: [UInt16: RemotePlace] = [:]
  /// The servers that are asked for connected members of the group.
  var searches: MemberSearches
  /// News of the turn for servers whose stages are gone.
  var farewells: [(address: StageAddress, news: [StageNews])] = []
  /// `nil` once all servers have reported.
  private var gathering: Gathering?
  /// The connections that waited for the reports.
  private var applicants: [Applicant] = []
  /// The number of users elsewhere that the stage on this server last received.
  private var toldElsewhere = 0

  /// - Parameters:
  ///   - life: A number that is different for each home of the channel.
  ///   - awaited: The servers that may have unreported users of the channel.
  package init(
    url: String, server: UInt16 = 0, life: UInt64 = 0, awaiting awaited: Set<UInt16> = []
  ) {
    self.server = server
    searches = MemberSearches(life: life)
    presence = ChannelPresence(url: url)
    guard !awaited.isEmpty else { return }
    gathering = Gathering(awaiting: awaited)
    presence.beginGathering()
  }

  /// The users known to the participants, for a stage that attaches.
  package var announced: AnnouncedUsers? { presence.announced }

  /// The users in the channel.
  package var roster: ChannelRoster { presence.roster }

  /// Whether there are stages on other servers, or may be.
  package var hasRemoteStages: Bool { !stages.isEmpty || !searches.isEmpty }

  /// Whether the channel has no users, and is not needed by a stage on another server.
  package var isIdle: Bool { roster.count == 0 && stages.isEmpty && searches.isEmpty }

  // MARK: Users

  /// Handles an input of the presence.
  ///
  /// - Returns: The actions for this server, in this order.
  package mutating func handle(_ input: PresenceInput, at now: Moment) -> [PresenceAction] {
    let actions = presence.handle(input, at: now)
    if case .entered(let user, let session) = input {
      stages[session.server]?.unconfirmed?.remove(user.id)
    }
    guard hasRemoteStages else { return actions }
    for action in actions {
      switch action {
      case .publish(let notice): tellAll(.notice(notice))
      case .correct(let notice, let server): tell(.notice(notice), server: server)
      case .present, .absent, .readProfiles, .wake: break
      }
    }
    return actions
  }

  /// Whether a user is in the channel on a server other than the given one.
  package func isElsewhere(_ userID: String, than server: UInt16) -> Bool {
    roster.servers(of: userID).contains { $0 != server }
  }

  /// Answers a stage's request to admit a connection.
  ///
  /// - Parameter result: Whether the user is elsewhere, in which case the user is one of the number
  ///   of users elsewhere, which the stage receives first.
  package mutating func answer(
    _ number: UInt64, _ result: Result<Bool, ServiceError>, on server: UInt16
  ) {
    tellElsewhere(server)
    tell(.admitted(number, result), server: server)
  }

  // MARK: A new home

  /// Whether some servers have not reported their users, so that entering connections must wait.
  package var isGathering: Bool { gathering != nil }

  /// Holds a connection that asks to enter until all servers have reported.
  package mutating func hold(_ applicant: Applicant) { gathering?.hold(applicant) }

  /// Returns the connections that waited, once all servers have reported.
  package mutating func takeApplicants() -> [Applicant] {
    defer { applicants = [] }
    return applicants
  }

  /// Records that a server has sent its state of the channel, if any.
  ///
  /// - Returns: The actions for this server, in this order.
  package mutating func stopAwaiting(_ server: UInt16, at now: Moment) -> [PresenceAction] {
    guard stages[server]?.unconfirmed == nil else { return [] }
    gathering?.remove(server)
    return endGathering(at: now)
  }

  /// Continues without the servers whose reports are overdue.
  package mutating func stopAwaitingAll(at now: Moment) -> [PresenceAction] {
    gathering?.removeAll()
    return endGathering(at: now)
  }

  private mutating func endGathering(at now: Moment) -> [PresenceAction] {
    guard let gathering, gathering.isOver else { return [] }
    self.gathering = nil
    applicants = gathering.applicants
    let known = stages.keys.sorted().compactMap { server in
      takeKnownUsers(of: server).map { (server, $0) }
    }
    return handle(.gathered(gathering.announcedUsers, stages: known), at: now)
  }

  // MARK: Stages on other servers

  /// Attaches a stage, replacing the previous attachment of its server.
  ///
  /// - Parameter start: The channel as it is now.
  package mutating func attach(
    _ attachment: StageAttachment, at address: StageAddress, from start: StageStart
  ) {
    // A forwarded attachment may arrive after a later one.
    if let place = stages[address.server], place.attachment > address.attachment { return }
    if attachment.epoch.isEmpty, searches.isAsking(address.server) {
      // The stage is new, and has to begin with the news that are kept for it.
      return searches.note(attachment: address.attachment, of: address.server)
    }
    var start = start
    if let announced = attachment.announced {
      gathering?.note(announced)
      // The participants are notified of the users that are unknown to them.
      start.announced = nil
    }
    // The stage reads missed events from the log. Connections are in no log: it adds them again.
    let unsent = (stages[address.server]?.news ?? []) + searches.remove(address.server)
    stages[address.server] = RemotePlace(
      attachment: address.attachment,
      news: unsent.filter(\.isSeat) + [.attached(start)] + unsent.filter(\.isAnswer),
      unconfirmed: Set(roster.userIDs(on: address.server)),
      knownUsers: attachment.announced ?? (isGathering ? .users([]) : nil))
  }

  /// Removes and returns the users known to a stage's participants when it was attached, updated by
  /// later notices; `nil` while its users are arriving, and once the stage knows all users.
  private mutating func takeKnownUsers(of server: UInt16) -> AnnouncedUsers? {
    guard let place = stages[server], place.unconfirmed == nil else { return nil }
    stages[server]?.knownUsers = nil
    return place.knownUsers
  }

  /// The answers that wait for the end of the turn: the calls were carried out, whatever happens to
  /// the attachment.
  private func unsentAnswers(_ server: UInt16) -> [StageNews] {
    stages[server]?.answers ?? []
  }

  /// Adds a part of an attached stage's users.
  ///
  /// The difference from the server's previous users is published. The users that the server had under
  /// another home are known to participants, and nothing is published while this home gathers them.
  ///
  /// - Returns: The actions for this server, in this order.
  package mutating func arrive(
    _ piece: StagePiece, at address: StageAddress, at now: Moment
  ) -> [PresenceAction] {
    let server = address.server
    guard isAttached(address), var unconfirmed = stages[server]?.unconfirmed else { return [] }
    unconfirmed.subtract(piece.userIDs)
    var actions = handle(.arrived(userIDs: piece.userIDs, server: server), at: now)
    guard piece.isLast else {
      stages[server]?.unconfirmed = unconfirmed
      tell(.next, server: server)
      return actions
    }
    stages[server]?.unconfirmed = nil
    actions += handle(.gone(userIDs: unconfirmed.sorted(), server: server), at: now)
    if !isGathering, let known = takeKnownUsers(of: server) {
      actions += handle(.attached(server: server, known), at: now)
    }
    return actions + stopAwaiting(server, at: now)
  }

  /// Whether a stage is attached with this number.
  package func isAttached(_ address: StageAddress) -> Bool {
    stages[address.server]?.attachment == address.attachment
  }

  /// The servers with attached stages.
  package var stageServers: Set<UInt16> { Set(stages.keys) }

  /// Detaches a stage without users.
  ///
  /// - Returns: The actions for this server, in this order.
  package mutating func detach(_ address: StageAddress, at now: Moment) -> [PresenceAction] {
    if isAttached(address) {
      let answers = unsentAnswers(address.server)
      if !answers.isEmpty { farewells.append((address, answers)) }
      stages[address.server] = nil
    }
    return stopAwaiting(address.server, at: now)
  }

  /// Removes a server that is gone, with all users who were on no other server.
  ///
  /// - Returns: The actions for this server, in this order.
  package mutating func remove(server: UInt16, at now: Moment) -> [PresenceAction] {
    stages[server] = nil
    _ = searches.remove(server)
    let users = roster.userIDs(on: server).sorted()
    return handle(.gone(userIDs: users, server: server), at: now)
      + stopAwaiting(server, at: now)
  }

  /// Sends news to a stage, after everything that was sent to it before.
  ///
  /// - Returns: Whether the server has a stage.
  @discardableResult
  package mutating func tell(_ news: StageNews, server: UInt16) -> Bool {
    guard stages[server] != nil else { return searches.append(news, for: server) }
    stages[server]?.append(news)
    return true
  }

  /// Sends news to all stages on other servers.
  package mutating func tellAll(_ news: StageNews) {
    for server in stages.keys { stages[server]?.append(news) }
    if !searches.isEmpty { searches.append(news) }
  }

  /// Whether any output waits for the end of the turn.
  package var awaitsEndOfTurn: Bool {
    !farewells.isEmpty || searches.hasQuestions
      || stages.contains { server, place in
        !place.news.isEmpty || unknownCount(on: server, last: place.toldElsewhere) != nil
      } || unknownCount(on: server, last: toldElsewhere) != nil
  }

  /// Returns the output of the turn for each stage on another server.
  ///
  /// Packets with answers come last: a sender must not be ahead of the other participants.
  package mutating func takePackets() -> [(address: StageAddress, news: [StageNews])] {
    var packets = farewells
    farewells = []
    let order = stages.map { ($0.value.answers.isEmpty ? 0 : 1, server: $0.key) }
    for (_, server) in order.sorted(by: { $0 < $1 }) {
      tellElsewhere(server)
      guard var place = stages[server], !place.news.isEmpty else { continue }
      packets.append((StageAddress(server: server, attachment: place.attachment), place.news))
      place.news = []
      stages[server] = place
    }
    return packets
  }

  /// Sends a stage the number of users who are not on its server, if the number is unknown to it.
  private mutating func tellElsewhere(_ server: UInt16) {
    guard let place = stages[server],
      let count = unknownCount(on: server, last: place.toldElsewhere)
    else { return }
    stages[server]?.toldElsewhere = count
    tell(.elsewhere(count), server: server)
  }

  /// The number of users who are not on this server, if it is unknown to the stage here.
  package mutating func takeElsewhere() -> Int? {
    guard let count = unknownCount(on: server, last: toldElsewhere) else { return nil }
    toldElsewhere = count
    return count
  }

  /// The number of users who are not on a server; `nil` if it is the last one that the stage there
  /// received, or is incomplete.
  private func unknownCount(on server: UInt16, last: Int) -> Int? {
    let count = roster.count(outside: server)
    return isGathering || count == last ? nil : count
  }

  /// The number of users who are not on this server, for a stage that is created here.
  package var localElsewhere: Int { roster.count(outside: server) }
}

/// A stage on another server, and its pending news.
struct RemotePlace: Sendable {
  let attachment: UInt64
  var news: [StageNews]
  /// The number of news since the attachment that may have brought members' connections.
  private(set) var admissionCount: Int
  /// The users known on the stage's server who have not been reported; `nil` once all of the
  /// stage's users have arrived.
  var unconfirmed: Set<String>?
  /// The users known to its participants, if these may lack notices.
  var knownUsers: AnnouncedUsers?
  /// The number of users elsewhere that the stage last received; no valid number before the first.
  var toldElsewhere = -1

  init(
    attachment: UInt64, news: [StageNews], unconfirmed: Set<String>?, knownUsers: AnnouncedUsers?
  ) {
    self.attachment = attachment
    self.news = news
    self.unconfirmed = unconfirmed
    self.knownUsers = knownUsers
    admissionCount = news.drop { !$0.isBeginning }.count(where: \.isAdmission)
  }

  /// The answers among the news.
  var answers: [StageNews] { news.filter(\.isAnswer) }

  mutating func append(_ item: StageNews) {
    if item.isAdmission { admissionCount += 1 }
    if case .notice(let notice) = item { knownUsers?.apply(notice.mark) }
    news.append(item)
  }
}
