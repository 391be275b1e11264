import Basics
import Channels
import Cluster

/// The servers that have sent their stages to the homes of a ring.
///
/// After each change of the ring, and after a link was reset, every shard attaches its stages to
/// their homes and then sends a mark to all servers. Since messages keep their order, a home that
/// has the marks of all shards of a server also has all of its stages.
struct StageReports {
  private struct Shards {
    let count: Int
    /// The ring of each shard's last mark.
    var rings: [UInt16: UInt64] = [:]
  }

  private var servers: [UInt16: Shards] = [:]
  /// The servers with stages that will attach to channels that are not in memory.
  private var expected: [String: Set<UInt16>] = [:]

  mutating func take(_ mark: StagesMark) {
    let server = mark.shard.server
    if servers[server]?.count != Int(mark.shardCount) {
      servers[server] = Shards(count: Int(mark.shardCount))
    }
    servers[server]?.rings[mark.shard.shard] = mark.ring
  }

  /// Whether all shards of a server have sent their stages to the homes of a ring.
  func isComplete(_ server: UInt16, ring: UInt64) -> Bool {
    guard let shards = servers[server] else { return false }
    return shards.rings.count == shards.count && shards.rings.values.allSatisfy { $0 == ring }
  }

  mutating func expect(_ servers: Set<UInt16>, of url: String) {
    if !servers.isEmpty { expected[url, default: []].formUnion(servers) }
  }

  mutating func stopExpecting(_ server: UInt16, of url: String) {
    expected[url]?.remove(server)
    if expected[url]?.isEmpty == true { expected[url] = nil }
  }

  mutating func takeExpected(_ url: String) -> Set<UInt16> {
    expected.removeValue(forKey: url) ?? []
  }

  /// Forgets a server that is gone.
  mutating func remove(_ server: UInt16) {
    servers[server] = nil
    for url in expected.keys { stopExpecting(server, of: url) }
  }

  /// Forgets channels that are no longer at home here.
  mutating func keepExpected(where isKept: (String) -> Bool) {
    expected = expected.filter { isKept($0.key) }
  }
}

extension ServerRing {
  /// A number that is equal on all servers for rings with the same servers.
  var number: UInt64 {
    var hash = FNV1a()
    for value in members.map(\.id.rawValue) + [0] + homes.map(\.id.rawValue) {
      hash.append(value)
    }
    return hash.value
  }
}

extension Shard {
  /// Notifies servers that all stages of this shard have been sent to them.
  func markStages(for servers: [UInt16]) {
    guard let edge else { return }
    let mark = StagesMark(
      ring: edge.routes.ring.number, shard: handle.address,
      shardCount: UInt16(services.shards.count))
    for server in servers {
      send(.shard(ShardAddress(server: server, shard: 0), .stagesMark(mark)))
    }
  }

  /// Handles a mark; the first shard forwards it to the other shards.
  func take(_ mark: StagesMark) {
    channels.take(mark)
    guard handle.index == 0 else { return }
    for index in 1..<max(services.shards.count, 1) {
      send(.shard(services.shards[index].address, .stagesMark(mark)))
    }
  }
}
