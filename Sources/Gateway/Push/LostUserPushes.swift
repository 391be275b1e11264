import Channels
import Cluster
import Configuration
import Logging
import Reactor
import Store

/// Pushes what users have missed whose sessions have ended together with the server that was their home; on the
/// first shard.
///
/// The other servers know hashes of the ids only, so the users are found among those with a device. Each server
/// finds the users whose home it has become.
final class LostUserPushes: TimerHandler {
  private unowned let shard: Shard
  private let routes: ShardRoutes
  private var searches: [EventLoop.TimerToken: LostUserSearch] = [:]

  init(_ routes: ShardRoutes, on shard: Shard) {
    self.routes = routes
    self.shard = shard
  }

  /// Pushes to the users who have no attentive session on the remaining servers.
  func push(to users: LostUsers) {
    let services = shard.services
    guard services.pushes.isOn, !users.isEmpty else { return }
    // The other servers learn within this time that the server is gone.
    let learning = 2 * shard.settings.cluster.beatMilliseconds
    let search = LostUserSearch(
      users: users, since: shard.lastSignOfEndedServer, until: services.clock.now + learning,
      ring: routes.ring, local: routes.local, services: services)
    // Sessions that are not lost are announced within the same time.
    searches[shard.loop.schedule(after: 2 * learning, self)] = search
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    searches.removeValue(forKey: token)?.goOn(after: "")
  }
}

/// A search for lost users, page by page.
private struct LostUserSearch: Sendable {
  let users: LostUsers
  /// The last sign of life of the server that has ended, in Unix milliseconds.
  let since: Int64
  /// The time from which messages are pushed without this, in Unix milliseconds.
  let until: Int64
  let ring: ServerRing
  let local: ClusterMember
  let services: GatewayServices

  private static let pageSize = 100

  func goOn(after userID: String) {
    let page = PushTokenHolders(after: userID, limit: Self.pageSize)
    services.store.perform(page, for: .server) { result, _ in
      switch result {
      case .success(let holders): push(to: holders)
      case .failure(let error):
        services.logger.warning(
          "messages to lost connections are not pushed", metadata: ["reason": "\(error)"])
      }
    }
  }

  private func push(to holders: [String]) {
    guard let last = holders.last else { return }
    let userIDs = holders.filter(isLost)
    guard !userIDs.isEmpty else { return goOn(after: last) }
    let missed = MissedPushes(of: userIDs, since: since, until: until, at: services.clock.now)
    services.pushMissed(missed) { goOn(after: last) }
  }

  private func isLost(_ userID: String) -> Bool {
    users.contains(userID) && ring.home(ofUser: userID).id == local.id
      && !services.onlineUsers.hasAttentiveSession(userID)
  }
}
