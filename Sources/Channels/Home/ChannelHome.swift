import ParleyProtocol

/// A channel's home beside its judge: who is in the channel, and the stages on other servers.
///
/// The home sends each of these stages what a turn has brought, in one packet: the events, encoded
/// once, notices, and the answers to calls of sessions there, all in their order. A pure value.
///
///     stage ── report ──►┌──────┐── present, absent ──► judge
///     judge ── event ───►│ home │── notice ───────────► stage on this server
///                        └──────┘── packet ───────────► stages on other servers
package struct ChannelHome: Sendable {
  /// The server that the channel is at home on.
  private let server: UInt16
  private var presence: ChannelPresence
  private var stages: [UInt16: RemotePlace] = [:]
  /// News of the turn for servers whose stages are gone.
  private var farewells: [(address: StageAddress, news: [StageNews])] = []
  /// `nil` once all servers have reported.
  private var gathering: Gathering?
  /// Those who waited for the reports.
  private var applicants: [Applicant] = []
  /// The number that the stage on this server knows of users elsewhere.
  private var toldElsewhere = 0

  /// - Parameter awaited: The servers that may have users of the channel and have not reported them.
  package init(url: String, server: UInt16 = 0, awaiting awaited: Set<UInt16> = []) {
    self.server = server
    presence = ChannelPresence(url: url)
    guard !awaited.isEmpty else { return }
    gathering = Gathering(awaiting: awaited)
    presence.beginGathering()
  }

  /// The users of whom participants know, for a stage that attaches.
  package var announced: AnnouncedUsers? { presence.announced }

  /// The users in the channel.
  package var roster: ChannelRoster { presence.roster }

  /// Whether there are stages on other servers.
  package var hasRemoteStages: Bool { !stages.isEmpty }

  /// Whether nobody is in the channel, and no stage elsewhere needs it.
  package var isIdle: Bool { roster.count == 0 && stages.isEmpty }

  // MARK: Users

  /// Takes an input of the presence in.
  ///
  /// - Returns: What is to be done here, in this order.
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

  /// Whether a user is in the channel on another server than one.
  package func isElsewhere(_ userID: String, than server: UInt16) -> Bool {
    roster.servers(of: userID).contains { $0 != server }
  }

  // MARK: A new home

  /// Whether servers have not reported their users, so that those who ask to enter have to wait.
  package var isGathering: Bool { gathering != nil }

  /// Keeps a connection that asks to enter until all servers have reported.
  package mutating func hold(_ applicant: Applicant) { gathering?.hold(applicant) }

  /// Hands over those who waited, once all servers have reported.
  package mutating func takeApplicants() -> [Applicant] {
    defer { applicants = [] }
    return applicants
  }

  /// Takes note that a server has sent what it has of the channel, if anything.
  ///
  /// - Returns: What is to be done here, in this order.
  package mutating func stopAwaiting(_ server: UInt16, at now: Moment) -> [PresenceAction] {
    guard stages[server]?.unconfirmed == nil else { return [] }
    gathering?.remove(server)
    return endGathering(at: now)
  }

  /// Goes on without the servers that have not reported for long.
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

  /// Attaches a stage, in place of what its server had attached before.
  ///
  /// - Parameter start: The channel as it is now.
  package mutating func attach(
    _ attachment: StageAttachment, at address: StageAddress, from start: StageStart
  ) {
    // One that a server passed on may come after a later one.
    if let place = stages[address.server], place.attachment > address.attachment { return }
    var start = start
    if let announced = attachment.announced {
      gathering?.note(announced)
      // What the participants lack, they are notified of.
      start.announced = nil
    }
    stages[address.server] = RemotePlace(
      attachment: address.attachment, news: [.attached(start)] + unsentAnswers(address.server),
      unconfirmed: Set(roster.userIDs(on: address.server)),
      knownUsers: attachment.announced ?? (isGathering ? .users([]) : nil))
  }

  /// Takes the users of whom a stage's participants knew when it was attached, with the notices since;
  /// `nil` while its users are on the way, and once the stage knows of all.
  private mutating func takeKnownUsers(of server: UInt16) -> AnnouncedUsers? {
    guard let place = stages[server], place.unconfirmed == nil else { return nil }
    stages[server]?.knownUsers = nil
    return place.knownUsers
  }

  /// The answers that wait for the end of the turn: the calls were carried out, whatever becomes of the
  /// attachment.
  private func unsentAnswers(_ server: UInt16) -> [StageNews] {
    stages[server]?.answers ?? []
  }

  /// Takes a part of an attached stage's users in.
  ///
  /// The difference from those whom the server had before is published. Of the users whom it had at
  /// another home participants know, and nothing is published while this home gathers them.
  ///
  /// - Returns: What is to be done here, in this order.
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

  /// Whether a stage is attached by this number.
  package func isAttached(_ address: StageAddress) -> Bool {
    stages[address.server]?.attachment == address.attachment
  }

  /// The servers with attached stages.
  package var stageServers: Set<UInt16> { Set(stages.keys) }

  /// Takes a stage off that nobody is on.
  ///
  /// - Returns: What is to be done here, in this order.
  package mutating func detach(_ address: StageAddress, at now: Moment) -> [PresenceAction] {
    if isAttached(address) {
      let answers = unsentAnswers(address.server)
      if !answers.isEmpty { farewells.append((address, answers)) }
      stages[address.server] = nil
    }
    return stopAwaiting(address.server, at: now)
  }

  /// Forgets a server that is gone, with all users who were on no other.
  ///
  /// - Returns: What is to be done here, in this order.
  package mutating func remove(server: UInt16, at now: Moment) -> [PresenceAction] {
    stages[server] = nil
    let users = roster.userIDs(on: server).sorted()
    return handle(.gone(userIDs: users, server: server), at: now)
      + stopAwaiting(server, at: now)
  }

  /// Sends a stage something, behind all that it was sent before.
  ///
  /// - Returns: Whether the server has a stage.
  @discardableResult
  package mutating func tell(_ news: StageNews, server: UInt16) -> Bool {
    guard stages[server] != nil else { return false }
    stages[server]?.append(news)
    return true
  }

  /// Sends all stages on other servers something.
  package mutating func tellAll(_ news: StageNews) {
    for server in stages.keys { stages[server]?.append(news) }
  }

  /// Whether anything waits for the end of the turn.
  package var awaitsEndOfTurn: Bool {
    !farewells.isEmpty
      || stages.contains { server, place in
        !place.news.isEmpty
          || !isGathering && place.toldElsewhere != roster.count(outside: server)
      } || !isGathering && localElsewhere != toldElsewhere
  }

  /// Hands over what the turn has brought for each stage on another server.
  ///
  /// Those with answers come last: the other participants have yet to see what a sender knows.
  package mutating func takePackets() -> [(address: StageAddress, news: [StageNews])] {
    var packets = farewells
    farewells = []
    let order = stages.map { ($0.value.answers.isEmpty ? 0 : 1, server: $0.key) }
    for (_, server) in order.sorted(by: { $0 < $1 }) {
      guard var place = stages[server] else { continue }
      let elsewhere = roster.count(outside: server)
      if !isGathering, place.toldElsewhere != elsewhere {
        place.news.append(.elsewhere(elsewhere))
        place.toldElsewhere = elsewhere
      }
      guard !place.news.isEmpty else { continue }
      packets.append((StageAddress(server: server, attachment: place.attachment), place.news))
      place.news = []
      stages[server] = place
    }
    return packets
  }

  /// The number of users who are not on this server, when the stage here does not know it.
  package mutating func takeElsewhere() -> Int? {
    guard !isGathering, localElsewhere != toldElsewhere else { return nil }
    toldElsewhere = localElsewhere
    return toldElsewhere
  }

  /// The number of users who are not on this server, for a stage that is made here.
  package var localElsewhere: Int { roster.count(outside: server) }
}

/// A stage on another server, and what it has to be sent.
private struct RemotePlace: Sendable {
  let attachment: UInt64
  var news: [StageNews]
  /// The users whom the home had on the stage's server and who have not been reported; `nil` once all of
  /// the stage's users have come.
  var unconfirmed: Set<String>?
  /// The users of whom its participants know, if they may lack notices.
  var knownUsers: AnnouncedUsers?
  /// The number that the stage knows of users elsewhere; none before the first.
  var toldElsewhere = -1

  /// The answers among the news.
  var answers: [StageNews] { news.filter { if case .answer = $0 { true } else { false } } }

  mutating func append(_ item: StageNews) {
    if case .notice(let notice) = item { knownUsers?.apply(notice.mark) }
    news.append(item)
  }
}
