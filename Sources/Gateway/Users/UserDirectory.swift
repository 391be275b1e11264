import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import Store

/// The users that are at home on a shard and have sessions anywhere.
final class UserDirectory {
  /// A user's sessions and channels over all its connections.
  private struct Presence {
    /// Oldest first.
    var sessions = SessionList()
    /// Sessions whose user is being looked up, and which may not be opened.
    var expected: [SessionAddress] = []
    /// The channels that any session is in: a few at most, so that a list is smaller and faster
    /// than a table.
    var channels: [ChannelUse] = []

    /// The open and the expected sessions.
    var all: [SessionAddress] { sessions.all + expected }
    /// The same, and closed sessions that still have a place in a channel.
    var known: Set<SessionAddress> {
      channels.reduce(into: Set(all)) { $0.formUnion($1.sessions.all) }
    }
    var isEmpty: Bool { sessions.isEmpty && expected.isEmpty && channels.isEmpty }

    mutating func remove(_ session: SessionAddress) {
      sessions.remove(session)
      stopExpecting(session)
    }

    /// Releases the list's memory with its last element: a session is expected only for a moment.
    mutating func stopExpecting(_ session: SessionAddress) {
      expected.removeAll { $0 == session }
      if expected.isEmpty { expected = [] }
    }

    mutating func enter(_ url: String, _ session: SessionAddress) {
      guard let index = channels.firstIndex(where: { $0.url == url }) else {
        channels.append(ChannelUse(url: url, sessions: .one(session)))
        return
      }
      if !channels[index].sessions.contains(session) { channels[index].sessions.append(session) }
    }

    mutating func leave(_ session: SessionAddress, where isLeft: (String) -> Bool) {
      for index in channels.indices where isLeft(channels[index].url) {
        channels[index].sessions.remove(session)
      }
      channels.removeAll { $0.sessions.isEmpty }
    }
  }

  private struct ChannelUse {
    let url: String
    var sessions: SessionList
  }

  private unowned let shard: Shard
  private var presences: [String: Presence] = [:]
  /// The absent users that each user mentioned recently.
  private var mentions = FloodGate<String>()
  private let lastSeen: LastSeenNotes
  /// The channels that users were in when their connections were lost.
  private var graces: LostPlaces
  /// The times at which sessions were opened, in Unix milliseconds; empty on a single server, where
  /// sessions are added in the order of opening.
  private var openingTimes: [SessionAddress: Int64] = [:]

  /// The sessions that asked not to hear groups.
  private var withoutGroups: Set<SessionAddress> = []
  /// The sessions in the background, in spite of which their users get pushes.
  private var inBackground: Set<SessionAddress> = []

  /// The largest number of absent users that one user may mention.
  private static let mentionLimit = RateLimit(count: 60, windowMilliseconds: 60_000)

  init(shard: Shard) {
    self.shard = shard
    lastSeen = LastSeenNotes(shard: shard)
    graces = LostPlaces(perUser: shard.settings.limits.channelsPerUser)
  }

  /// Adopts the changed settings of the shard.
  func settingsDidChange() { graces.limit = shard.settings.limits.channelsPerUser }

  /// Registers a session that will open if its user is allowed to.
  func expect(_ session: SessionAddress, of userID: String) {
    presences[userID, default: Presence()].expected.append(session)
  }

  /// Adds a session.
  ///
  /// When the user then has too many sessions, the oldest is closed.
  ///
  /// - Parameter hearsGroups: Whether the session receives the events of the user's groups.
  func add(
    _ session: SessionAddress, of userID: String, openedAt: Int64, hearsGroups: Bool = true
  ) {
    if !hearsGroups { withoutGroups.insert(session) }
    if shard.edge != nil { openingTimes[session] = openedAt }
    var presence = presences[userID, default: Presence()]
    presence.stopExpecting(session)
    presence.sessions.append(session)
    let excess = presence.sessions.count - shard.settings.limits.connectionsPerUser
    if excess > 0 {
      // With their channels, because the end of a session on a dead server is never reported.
      for oldest in presence.sessions.all.prefix(excess) { end(oldest, in: &presence, userID) }
    }
    presences[userID] = presence
    noteAttention(of: userID, presence)
  }

  /// Records that a session has gone to the background or has come back.
  func setBackground(_ isOn: Bool, _ session: SessionAddress, of userID: String) {
    guard let presence = presences[userID], presence.sessions.contains(session) else { return }
    if isOn { inBackground.insert(session) } else { inBackground.remove(session) }
    noteAttention(of: userID, presence)
  }

  private func noteAttention(of userID: String, _ presence: Presence) {
    shard.services.onlineUsers.note(userID, attention(of: presence))
  }

  private func attention(of presence: Presence) -> UserAttention {
    guard !presence.sessions.isEmpty else { return .offline }
    guard !inBackground.isEmpty else { return .attentive }
    return presence.sessions.all.allSatisfy(inBackground.contains) ? .away : .attentive
  }

  /// Removes a session that is closed because its user has too many.
  private func end(_ session: SessionAddress, in presence: inout Presence, _ userID: String) {
    noteLoss(of: session, in: presence, userID)
    presence.remove(session)
    presence.leave(session) { _ in true }
    discard(session)
    reach([session], .expelOldest)
  }

  /// Forgets the properties of a session that ends here.
  private func discard(_ session: SessionAddress) {
    openingTimes[session] = nil
    withoutGroups.remove(session)
    inBackground.remove(session)
  }

  /// Removes a session with all its channels, or an expected session.
  ///
  /// - Parameter lostSince: The last sign of life of a client that did not close its connection, in Unix
  ///   milliseconds; `nil` for any other.
  func remove(_ session: SessionAddress, of userID: String, lostSince: Int64? = nil) {
    guard var presence = presences[userID] else { return discard(session) }
    let (wasOnline, before) = (!presence.sessions.isEmpty, attention(of: presence))
    noteLoss(of: session, in: presence, userID)
    discard(session)
    presence.remove(session)
    presence.leave(session) { _ in true }
    presences[userID] = presence.isEmpty ? nil : presence
    if wasOnline, presence.sessions.isEmpty { lastSeen.note(userID) }
    noteAttention(of: userID, presence)
    if let lostSince, before == .attentive, attention(of: presence) != .attentive {
      shard.services.pushMissed(of: userID, since: lostSince)
    }
  }

  /// Records that all remaining users were seen now, because the shard is stopping.
  func noteAllSeen() {
    for (userID, presence) in presences where !presence.sessions.isEmpty { lastSeen.note(userID) }
    lastSeen.write()
  }

  /// Records that a session is entering a channel.
  ///
  /// - Returns: Whether the user may be in one more channel.
  func reserve(_ channelURL: String, for session: SessionAddress, of userID: String) -> Bool {
    var presence = presences[userID, default: Presence()]
    let limit = shard.settings.limits.channelsPerUser
    guard
      presence.channels.count < limit || presence.channels.contains(where: { $0.url == channelURL })
    else { return false }
    presence.enter(channelURL, session)
    presences[userID] = presence
    return true
  }

  /// Records that a session did not enter a channel, or has left it.
  func release(_ channelURL: String, of session: SessionAddress, of userID: String) {
    graces.remove(channelURL, of: userID)
    guard var presence = presences[userID] else { return }
    presence.leave(session) { $0 == channelURL }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Records the channels of a session that did not leave them.
  private func noteLoss(of session: SessionAddress, in presence: Presence, _ userID: String) {
    let settings = shard.settings
    guard settings.limits.fileBytes > 0, settings.files.graceSeconds > 0 else { return }
    for channel in presence.channels where channel.sessions.contains(session) {
      graces.add(
        channel.url, of: userID, at: shard.loop.now,
        until: shard.loop.now + settings.files.graceSeconds * 1_000)
    }
  }

  /// The channels that a user is in, or was until its connection was lost.
  func channels(of userID: String) -> [String] {
    (presences[userID]?.channels ?? []).map(\.url) + graces.channels(of: userID, at: shard.loop.now)
  }

  /// Charges mentions of absent users to a sender's budget: 60 in any minute, over all channels.
  ///
  /// - Returns: The number of mentions that fit in the budget.
  func admitMentions(_ count: Int, by senderID: String) -> Int {
    let now = shard.loop.now
    return (0..<count).prefix { _ in
      mentions.admit(senderID, at: now, limit: Self.mentionLimit) == nil
    }.count
  }

  /// The sessions of users that receive the events of groups.
  func seats(of userIDs: [String]) -> [Seat] {
    userIDs.flatMap { userID in
      (presences[userID]?.sessions.all ?? []).filter { !withoutGroups.contains($0) }
        .map { Seat(userID: userID, session: $0) }
    }
  }

  /// Sends an event to the sessions of a user that receive the events of groups.
  func send(_ event: [UInt8], toGroupSessionsOf userID: String) {
    reach(seats(of: [userID]).map(\.session), .notify(event))
  }

  /// Sends an event to all of a user's sessions.
  func send(_ event: [UInt8], to userID: String) {
    reach(presences[userID]?.sessions.all ?? [], .notify(event))
  }

  /// Sends a user's new profile to all of the user's sessions.
  func update(_ user: User) {
    reach(presences[user.id]?.sessions.all ?? [], .profile(user))
  }

  /// Whether there are neither users nor expected sessions.
  var isEmpty: Bool { presences.isEmpty }

  /// Whether a user at home here has a session.
  func isOnline(_ userID: String) -> Bool {
    presences[userID]?.sessions.isEmpty == false
  }

  /// Closes all of a user's sessions with 4002, including those that are being opened.
  func expel(_ userID: String, reason: String) {
    reach(presences[userID]?.all ?? [], .expel(reason: reason))
  }

  /// Closes with 4002 those of a user's sessions that depend on a void proof.
  func revoke(_ proof: TokenProof, of userID: String, reason: String) {
    reach(presences[userID]?.all ?? [], .revoke(proof, reason: reason))
  }

  private func reach(_ sessions: [SessionAddress], _ message: SessionMessage) {
    for session in sessions { shard.send(.session(session, message)) }
  }
}

/// Sessions whose home changes together with that of their user.
extension UserDirectory {
  /// Adds a session from another home, or again after messages were lost.
  ///
  /// While the user has too many sessions, or is in too many channels, the oldest session is closed.
  ///
  /// - Parameters:
  ///   - openedAt: Unix milliseconds; `nil` while the session is opening.
  ///   - hearsGroups: Whether the session receives the events of the user's groups.
  ///   - isInBackground: Whether the user gets pushes in spite of the session.
  func announce(
    _ session: SessionAddress, of userID: String, openedAt: Int64?, channelURLs: [String],
    hearsGroups: Bool = true, isInBackground: Bool = false
  ) {
    if !hearsGroups { withoutGroups.insert(session) }
    if isInBackground { inBackground.insert(session) } else { inBackground.remove(session) }
    var presence = presences[userID, default: Presence()]
    presence.stopExpecting(session)
    if let openedAt {
      openingTimes[session] = openedAt
      presence.sessions.insert(session) { openingTimes[$0] ?? 0 <= openedAt }
      for url in channelURLs { presence.enter(url, session) }
    } else {
      presence.expected.append(session)
    }
    let limits = shard.settings.limits
    while presence.sessions.count > limits.connectionsPerUser
      || presence.channels.count > limits.channelsPerUser, let oldest = presence.sessions.all.first
    {
      end(oldest, in: &presence, userID)
    }
    presences[userID] = presence.isEmpty ? nil : presence
    noteAttention(of: userID, presence)
  }

  /// Removes a session that another home keeps from now on.
  func forget(_ session: SessionAddress, of userID: String) {
    guard var presence = presences[userID] else { return }
    discard(session)
    presence.remove(session)
    presence.leave(session) { _ in true }
    presences[userID] = presence.isEmpty ? nil : presence
    noteAttention(of: userID, presence)
  }

  /// Removes the sessions of a server that will announce them again.
  func forgetSessions(where isLost: (SessionAddress) -> Bool) {
    for (session, userID) in sessions(where: isLost) { forget(session, of: userID) }
  }

  /// Removes the sessions of servers that have left.
  ///
  /// The homes of channels do so by themselves.
  func removeSessions(where isGone: (SessionAddress) -> Bool) {
    let sign = shard.lastSignOfEndedServer
    for (session, userID) in sessions(where: isGone) {
      remove(session, of: userID, lostSince: sign)
    }
  }

  private func sessions(
    where condition: (SessionAddress) -> Bool
  ) -> [(SessionAddress, String)] {
    presences.flatMap { userID, presence in
      presence.known.filter(condition).map { ($0, userID) }
    }
  }
}

extension Shard {
  /// A time at which a server that has left now was alive, in Unix milliseconds: one that ended in order has
  /// closed its sessions before.
  var lastSignOfEndedServer: Int64 {
    services.clock.now - settings.cluster.serverTimeoutMilliseconds
  }
}

/// Records when the users at home on a shard were last seen, many at a time.
///
/// The store keeps one time per minute for each user. A time that the store cannot take is lost: the
/// next one is as good.
final class LastSeenNotes: TimerHandler {
  /// The time for which times are gathered, in milliseconds.
  private static let patience: Int64 = 100
  /// The number of users in one job of the store, so that other jobs get their turn.
  private static let batchSize = 500

  private unowned let shard: Shard
  private var moments: [String: Int64] = [:]
  private var timer: EventLoop.TimerToken?

  init(shard: Shard) {
    self.shard = shard
  }

  /// Records that a user was here until now.
  func note(_ userID: String) {
    moments[userID] = shard.services.clock.now
    if timer == nil { timer = shard.loop.schedule(after: Self.patience, self) }
  }

  /// Submits the gathered times to the store.
  func write() {
    var rest = Array(moments)[...]
    moments = [:]
    while !rest.isEmpty {
      let batch = rest.prefix(Self.batchSize)
      rest = rest.dropFirst(Self.batchSize)
      shard.services.store.perform(SeenNotes(batch)) { _ in }
    }
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    timer = nil
    write()
  }
}
