import Cluster
import Channels
import Lanes
import PushDelivery
import Store
import Unfurler
import Webhooks

/// Notices between services of the same kind on different servers.
///
/// Notices are sent as tasks of the first shard, and may be lost. Their content is also in the database.
struct SharedNotices: Sendable {
  let shards: ShardSet
  let network: any ClusterNetwork

  /// `nil` on a single server.
  init?(_ shards: ShardSet) {
    guard let network = shards.network else { return nil }
    self.shards = shards
    self.network = network
  }

  func send(_ notice: [UInt8], to service: SharedService, on server: ServerID) {
    guard let member = network.ring.member(server) else { return }
    let address = ShardAddress(server: member.slot, shard: 0)
    shards.send(.shard(address, .notice(service, notice)))
  }

  /// Sends a notice to all other servers.
  func broadcast(_ notice: [UInt8], to service: SharedService) {
    for member in network.ring.members where member.id != network.local.id {
      send(notice, to: service, on: member.id)
    }
  }
}

extension SharedNotices {
  /// The other servers, for a service that delivers lanes.
  func lanes(of service: SharedService) -> LaneCluster {
    LaneCluster(network: network) { lanes, server in
      send(lanes.encoded, to: service, on: server)
    }
  }
}

extension GatewayServices {
  /// Handles a notice from another server.
  func receive(_ notice: [UInt8], for service: SharedService) {
    switch service {
    case .previews:
      if let notice = PreviewNotice(encoded: notice) { previews?.receive(notice) }
    case .controlLog: readAnnouncements()
    case .onlineUsers:
      if let notice = OnlineNotice(encoded: notice) { onlineUsers.take(notice) }
    case .webhooks:
      if let lanes = OutboxLanes(encoded: notice) { webhooks?.didQueue(in: lanes) }
    case .push:
      if let lanes = OutboxLanes(encoded: notice) { push?.didQueue(in: lanes) }
    }
  }
}

extension OutboxLanes {
  /// Eight bytes; the first contains lane 0.
  fileprivate var encoded: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) } }

  fileprivate init?(encoded: [UInt8]) {
    guard encoded.count == 8 else { return nil }
    self.init(bits: encoded.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }
}
