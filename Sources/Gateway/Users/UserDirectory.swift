import Channels
import Configuration
import FloodControl
import ParleyProtocol
import Reactor
import ShardMessages
import Store

/// The users that are at home on a shard and have sessions anywhere.
final class UserDirectory {
  /// A user's sessions and channels over all its connections.
  private struct Presence {
    /// Oldest first.
    var sessions = SessionList()
    /// Those that wait for the user to be looked up, and may come to nothing.
    var expected: [SessionAddress] = []
    /// The channels that any session is in: a few at most, so that a list is smaller and faster
    /// than a table.
    var channels: [ChannelUse] = []

    /// Both those that are open and those that may be.
    var all: [SessionAddress] { sessions.all + expected }
    /// The same, and those that are closed but still have a place in a channel.
    var known: Set<SessionAddress> {
      channels.reduce(into: Set(all)) { $0.formUnion($1.sessions.all) }
    }
    var isEmpty: Bool { sessions.isEmpty && expected.isEmpty && channels.isEmpty }

    mutating func remove(_ session: SessionAddress) {
      sessions.remove(session)
      stopExpecting(session)
    }

    /// Gives the list's memory back with its last element: a session is expected for a moment only.
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
  /// The absent users whom each user mentioned lately.
  private var mentions = FloodGate<String>()
  private let lastSeen: LastSeenNotes
  /// The channels that users were in when their connections were lost.
  private var graces: LostPlaces
  /// When sessions were opened, in Unix milliseconds; empty on a server alone, where sessions are added
  /// in the order of opening.
  private var openingTimes: [SessionAddress: Int64] = [:]

  /// Absent users whom one user may mention.
  private static let mentionLimit = RateLimit(count: 60, windowMilliseconds: 60_000)

  init(shard: Shard) {
    self.shard = shard
    lastSeen = LastSeenNotes(shard: shard)
    graces = LostPlaces(perUser: shard.settings.limits.channelsPerUser)
  }

  /// Adopts the settings of the shard, which have changed.
  func settingsDidChange() { graces.limit = shard.settings.limits.channelsPerUser }

  /// Takes note of a session that opens if its user may.
  func expect(_ session: SessionAddress, of userID: String) {
    presences[userID, default: Presence()].expected.append(session)
  }

  /// Adds a session; when the user now has too many, its oldest is closed.
  func add(_ session: SessionAddress, of userID: String, openedAt: Int64) {
    if shard.edge != nil { openingTimes[session] = openedAt }
    var presence = presences[userID, default: Presence()]
    presence.stopExpecting(session)
    presence.sessions.append(session)
    let excess = presence.sessions.count - shard.settings.limits.connectionsPerUser
    if excess > 0 {
      // With their channels: the end of a session on a server that dies is never reported.
      for oldest in presence.sessions.all.prefix(excess) { end(oldest, in: &presence, userID) }
    }
    presences[userID] = presence
  }

  /// Takes out a session that is closed because its user has too many.
  private func end(_ session: SessionAddress, in presence: inout Presence, _ userID: String) {
    noteLoss(of: session, in: presence, userID)
    presence.remove(session)
    presence.leave(session) { _ in true }
    openingTimes[session] = nil
    reach([session], .expelOldest)
  }

  /// Takes a session out, with all its channels, or one that was expected.
  func remove(_ session: SessionAddress, of userID: String) {
    openingTimes[session] = nil
    guard var presence = presences[userID] else { return }
    let wasOnline = !presence.sessions.isEmpty
    noteLoss(of: session, in: presence, userID)
    presence.remove(session)
    presence.leave(session) { _ in true }
    if wasOnline, presence.sessions.isEmpty { lastSeen.note(userID) }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Writes down that all users who are still here were seen now; the shard is about to stop.
  func noteAllSeen() {
    for (userID, presence) in presences where !presence.sessions.isEmpty { lastSeen.note(userID) }
    lastSeen.write()
  }

  /// Notes that a session is about to enter a channel.
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

  /// Notes that a session is not, or no longer, in a channel.
  func release(_ channelURL: String, of session: SessionAddress, of userID: String) {
    graces.remove(channelURL, of: userID)
    guard var presence = presences[userID] else { return }
    presence.leave(session) { $0 == channelURL }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Notes the channels of a session that did not leave them.
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

  /// Takes mentions of absent users out of a sender's budget: 60 in any minute, over all channels.
  ///
  /// - Returns: The number of mentions that it has room for.
  func admitMentions(_ count: Int, by senderID: String) -> Int {
    let now = shard.loop.now
    return (0..<count).prefix { _ in
      mentions.admit(senderID, at: now, limit: Self.mentionLimit) == nil
    }.count
  }

  /// Sends an event to all of a user's sessions.
  func send(_ event: [UInt8], to userID: String) {
    reach(presences[userID]?.sessions.all ?? [], .notify(event))
  }

  /// Lets all of a user's sessions know its new profile.
  func update(_ user: User) {
    reach(presences[user.id]?.sessions.all ?? [], .profile(user))
  }

  /// Whether nobody is here, nor expected.
  var isEmpty: Bool { presences.isEmpty }

  /// Whether a user that is at home here has a session.
  func isOnline(_ userID: String) -> Bool {
    presences[userID]?.sessions.isEmpty == false
  }

  /// Closes all of a user's sessions with 4002, those that are just opening too.
  func expel(_ userID: String, reason: String) {
    reach(presences[userID]?.all ?? [], .expel(reason: reason))
  }

  /// Closes those of a user's sessions with 4002 that live by a proof that holds no longer.
  func revoke(_ proof: TokenProof, of userID: String, reason: String) {
    reach(presences[userID]?.all ?? [], .revoke(proof, reason: reason))
  }

  private func reach(_ sessions: [SessionAddress], _ message: SessionMessage) {
    for session in sessions { shard.send(.session(session, message)) }
  }
}

/// Sessions that change their home together with their user.
extension UserDirectory {
  /// Takes over a session from another home, or once more after messages were lost; while the user has
  /// too many sessions, or is in too many channels, its oldest session is closed.
  ///
  /// - Parameter openedAt: Unix milliseconds; `nil` while the session is opening.
  func announce(
    _ session: SessionAddress, of userID: String, openedAt: Int64?, channelURLs: [String]
  ) {
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
  }

  /// Takes a session out that another home keeps from now on.
  func forget(_ session: SessionAddress, of userID: String) {
    guard var presence = presences[userID] else { return }
    openingTimes[session] = nil
    presence.remove(session)
    presence.leave(session) { _ in true }
    presences[userID] = presence.isEmpty ? nil : presence
  }

  /// Takes out the sessions of a server that is going to announce them anew.
  func forgetSessions(where isLost: (SessionAddress) -> Bool) {
    for (session, userID) in sessions(where: isLost) { forget(session, of: userID) }
  }

  /// Takes out the sessions of servers that are gone; the homes of channels do so by themselves.
  func removeSessions(where isGone: (SessionAddress) -> Bool) {
    for (session, userID) in sessions(where: isGone) { remove(session, of: userID) }
  }

  private func sessions(
    where condition: (SessionAddress) -> Bool
  ) -> [(SessionAddress, String)] {
    presences.flatMap { userID, presence in
      presence.known.filter(condition).map { ($0, userID) }
    }
  }
}

/// Writes down when the users at home on a shard were last there, many at a time.
///
/// The store keeps one moment a minute for each user. A moment that it can't take is lost: the next
/// one is as good.
final class LastSeenNotes: TimerHandler {
  /// How long moments are gathered, in milliseconds.
  private static let patience: Int64 = 100
  /// Users that one job of the store takes, so that others get their turn.
  private static let batchSize = 500

  private unowned let shard: Shard
  private var moments: [String: Int64] = [:]
  private var timer: EventLoop.TimerToken?

  init(shard: Shard) {
    self.shard = shard
  }

  /// A user was here until now.
  func note(_ userID: String) {
    moments[userID] = shard.services.clock.now
    if timer == nil { timer = shard.loop.schedule(after: Self.patience, self) }
  }

  /// Hands what was gathered to the store.
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
