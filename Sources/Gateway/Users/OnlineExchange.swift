import Channels
import Cluster
import Reactor

/// Notifies the other servers of the users who are online, a few times a second; on the first shard.
final class OnlineExchange: TimerHandler {
  /// Milliseconds from one notice to the next.
  private static let interval: Int64 = 200

  private unowned let shard: Shard

  init(on shard: Shard) {
    self.shard = shard
    schedule()
  }

  func timerDidFire(_ token: EventLoop.TimerToken) {
    schedule()
    guard let servers = shard.edge?.routes.otherServers else { return }
    for notice in shard.services.onlineUsers.takeChanges(from: shard.services.server) {
      for server in servers { send(notice, to: server) }
    }
  }

  /// Follows a change of the servers.
  ///
  /// - Returns: The users whose home has ended while they were attentive.
  func ringDidChange(from old: ServerRing, to ring: ServerRing) -> LostUsers {
    let lost = shard.services.onlineUsers.keep(ring.members.map(\.slot))
    for member in ring.members where old.member(member.id) == nil { sendAll(to: member.slot) }
    return lost
  }

  /// Sends all users of this server to another one, which may have missed notices.
  func sendAll(to server: UInt16) {
    guard server != shard.services.server else { return }
    for notice in shard.services.onlineUsers.all(from: shard.services.server) {
      send(notice, to: server)
    }
  }

  /// Notifies the other servers that this one has no users any more: it ends in order, before the next notice.
  func end() {
    guard let servers = shard.edge?.routes.otherServers else { return }
    let none = OnlineNotice(server: shard.services.server, isFirst: true)
    for server in servers { send(none, to: server) }
  }

  private func send(_ notice: OnlineNotice, to server: UInt16) {
    let address = ShardAddress(server: server, shard: 0)
    shard.send(.shard(address, .notice(.onlineUsers, notice.encoded)))
  }

  private func schedule() { _ = shard.loop.schedule(after: Self.interval, self) }
}
