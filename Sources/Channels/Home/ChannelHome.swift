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
  private var claims: EntryClaims
  /// The number that the stage on this server knows of users elsewhere.
  private var toldElsewhere = 0

  package init(url: String, server: UInt16 = 0) {
    self.server = server
    presence = ChannelPresence(url: url)
    claims = EntryClaims(server: server)
  }

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
    if case .left(let userID, _, let heirs) = input { claims.prefer(heirs, for: userID) }
    guard hasRemoteStages else { return actions }
    for case .publish(let notice) in actions { tellAll(.notice(notice)) }
    return actions
  }

  /// Notes that a user is about to enter on another server.
  ///
  /// - Parameters:
  ///   - number: That of the admission, for ``settle(_:of:on:)``.
  ///   - isEntering: Whether a user is about to enter on this server.
  /// - Returns: Another server that has the user, or will have it before.
  package mutating func admit(
    _ userID: String, _ number: UInt64, on server: UInt16, isEntering: (String) -> Bool
  ) -> UInt16? {
    claims.add(number, of: userID, on: server, in: roster, isEntering: isEntering)
  }

  /// The same for a user who is about to enter on this server.
  package mutating func admit(
    _ userID: String, isEntering: (String) -> Bool
  ) -> UInt16? {
    admit(userID, 0, on: server, isEntering: isEntering)
  }

  /// Forgets an admission whose connection has entered, or does not enter.
  package mutating func settle(_ number: UInt64, of userID: String, on server: UInt16) {
    claims.settle(number, of: userID, on: server)
  }

  // MARK: Stages on other servers

  /// Attaches a stage, in place of what its server had attached before.
  ///
  /// - Parameter start: The channel as it is now.
  /// - Returns: What is to be done here, in this order.
  package mutating func attach(
    _ attachment: StageAttachment, at address: StageAddress, from start: StageStart,
    at now: Moment
  ) -> [PresenceAction] {
    claims.replace(of: address.server, by: attachment.entering)
    stages[address.server] = RemotePlace(
      attachment: address.attachment, news: [.attached(start)])
    return handle(.attached(userIDs: attachment.userIDs, server: address.server), at: now)
  }

  /// Whether a stage is attached by this number.
  package func isAttached(_ address: StageAddress) -> Bool {
    stages[address.server]?.attachment == address.attachment
  }

  /// Takes a stage off that nobody is on.
  package mutating func detach(_ address: StageAddress) {
    if isAttached(address) { stages[address.server] = nil }
  }

  /// Forgets a server that is gone, with all users who were on no other.
  ///
  /// - Returns: What is to be done here, in this order.
  package mutating func remove(server: UInt16, at now: Moment) -> [PresenceAction] {
    stages[server] = nil
    claims.removeAll(of: server)
    return handle(.serverGone(server), at: now)
  }

  /// Sends a stage something, behind all that it was sent before.
  ///
  /// - Returns: Whether the server has a stage.
  @discardableResult
  package mutating func tell(_ news: StageNews, server: UInt16) -> Bool {
    guard stages[server] != nil else { return false }
    stages[server]?.news.append(news)
    return true
  }

  /// Sends all stages on other servers something.
  package mutating func tellAll(_ news: StageNews) {
    for server in stages.keys { stages[server]?.news.append(news) }
  }

  /// Whether anything waits for the end of the turn.
  package var awaitsEndOfTurn: Bool {
    stages.contains { server, place in
      !place.news.isEmpty || place.toldElsewhere != roster.count(outside: server)
    } || localElsewhere != toldElsewhere
  }

  /// Hands over what the turn has brought for each stage on another server.
  package mutating func takePackets() -> [(address: StageAddress, news: [StageNews])] {
    var packets: [(address: StageAddress, news: [StageNews])] = []
    for server in stages.keys.sorted() {
      guard var place = stages[server] else { continue }
      let elsewhere = roster.count(outside: server)
      if place.toldElsewhere != elsewhere {
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
    guard localElsewhere != toldElsewhere else { return nil }
    toldElsewhere = localElsewhere
    return toldElsewhere
  }

  private var localElsewhere: Int { roster.count(outside: server) }
}

/// A stage on another server, and what it has to be sent.
private struct RemotePlace: Sendable {
  let attachment: UInt64
  var news: [StageNews]
  /// The number that the stage knows of users elsewhere.
  var toldElsewhere = 0
}
