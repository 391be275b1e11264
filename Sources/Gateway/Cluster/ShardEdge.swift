import Channels
import Cluster

/// The part of a shard that knows the other servers of a cluster, and reacts when they change.
///
/// Confined to its shard.
final class ShardEdge {
  let routes: ShardRoutes
  let calls: CallHost
  /// The sessions here that receive the events of groups.
  let groupSessions: GroupSessions
  /// On the first shard only.
  private let onlineExchange: OnlineExchange?
  /// On the first shard only.
  private let lostUsers: LostUserPushes?
  private unowned let shard: Shard
  /// Whether the other servers have been notified of this shard's stages.
  private var hasBegun = false
  /// Whether this server has left the cluster.
  private var hasLeft = false

  init(_ network: any ClusterNetwork, _ figures: RelayCounts, shard: Shard, timeout: Int64) {
    self.shard = shard
    routes = ShardRoutes(network, figures, shard: shard)
    calls = CallHost(routes, figures, shard: shard, timeout: timeout)
    groupSessions = GroupSessions(shard: shard)
    let isFirst = shard.handle.index == 0
    onlineExchange = isFirst ? OnlineExchange(on: shard) : nil
    lostUsers = isFirst ? LostUserPushes(routes, on: shard) : nil
  }

  /// Adopts the current ring of the network.
  func ringDidChange() {
    let old = routes.followRing()
    let ring = routes.ring
    guard ring != old else { return begin() }
    shard.streams.lose(where: calls.isLost)
    // The other servers have taken over everything here, and the sessions here will end.
    guard !hasLeft else { return shard.channels.homesDidChange() }
    readAnnouncements()
    if let lost = onlineExchange?.ringDidChange(from: old, to: ring) { lostUsers?.push(to: lost) }
    shard.users.removeSessions { ring.member(slot: $0.server) == nil }
    for session in shard.sessions.all {
      guard let userID = session.userID else { continue }
      let (before, after) = (old.home(ofUser: userID), ring.home(ofUser: userID))
      guard before.id != after.id else { continue }
      if ring.member(before.id) != nil {
        let message = ShardMessage.user(id: userID, .forget(session.reference))
        routes.transmit(message, routes.residence(of: before.id))
      }
      announce(session, userID)
    }
    for member in old.members where ring.member(member.id) == nil {
      shard.channels.serverIsGone(member.slot)
    }
    shard.channels.homesDidChange()
    calls.ringDidChange(from: old)
    groupSessions.renew()
  }

  /// Notifies the other servers that this shard has no stages for them, when it begins with their ring.
  private func begin() {
    guard !hasBegun else { return }
    hasBegun = true
    shard.markStages(for: routes.otherServers)
    for server in routes.otherServers { onlineExchange?.sendAll(to: server) }
  }

  /// Resynchronizes with a server after messages to or from it were lost.
  func linkWasReset(with server: ServerID, count: Int) {
    routes.linkWasReset(with: server, count: count)
    shard.streams.lose { $0 == server }
    guard !hasLeft else { return }
    let ring = routes.ring
    if let slot = ring.member(server)?.slot {
      shard.users.forgetSessions { $0.server == slot }
      shard.channels.linkWasReset(with: slot)
      onlineExchange?.sendAll(to: slot)
    }
    readAnnouncements()
    let sessions = shard.sessions.all.filter { session in
      session.userID.map { ring.home(ofUser: $0).id == server } ?? false
    }
    for session in sessions { if let userID = session.userID { announce(session, userID) } }
    calls.linkWasReset(with: server)
    groupSessions.renew()
  }

  /// Sends what the other servers have to know when this one has no sessions any more, and ends.
  func end() {
    onlineExchange?.end()
    routes.flush()
  }

  /// Notes that this server has left the cluster.
  func leave() {
    hasLeft = true
    calls.leave()
    shard.streams.lose { _ in true }
  }

  /// Reads new announcements, once for all shards.
  private func readAnnouncements() {
    if shard.handle.index == 0 { shard.services.readAnnouncements() }
  }

  /// Reports a session to the home of its user.
  private func announce(_ session: Session, _ userID: String) {
    guard let announcement = session.announcement else { return }
    routes.transmit(.user(id: userID, announcement))
  }
}
