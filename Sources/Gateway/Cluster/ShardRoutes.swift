import Channels
import Cluster

/// The routes from a shard to the homes of channels and users, on any server, and to the other servers.
///
/// The shard uses one view of the ring until it has processed the next, so that each home learns of
/// a session, and of its end, in order. Confined to its shard.
final class ShardRoutes {
  private unowned let shard: Shard
  private let network: any ClusterNetwork
  private let figures: RelayCounts
  private(set) var ring: ServerRing
  private var hasEnqueued = false
  /// The numbers of link resets that this shard knows of.
  private var resetCounts: [ServerID: Int] = [:]

  init(_ network: any ClusterNetwork, _ figures: RelayCounts, shard: Shard) {
    self.shard = shard
    self.network = network
    self.figures = figures
    ring = network.ring
  }

  // MARK: Changes of the cluster

  /// Adopts the current ring of the network.
  ///
  /// - Returns: The previous ring.
  func followRing() -> ServerRing {
    defer { ring = network.ring }
    return ring
  }

  /// Notes the number of resets of a link.
  func linkWasReset(with server: ServerID, count: Int) {
    resetCounts = resetCounts.filter { network.ring.member($0.key) != nil }
    resetCounts[server] = count
  }

  // MARK: Places

  var local: ClusterMember { network.local }

  func residence(of message: ShardMessage) -> ShardSet.Residence {
    shard.services.shards.residence(of: message, in: ring, seenBy: network.local)
  }

  func residence(of server: ServerID) -> ShardSet.Residence {
    server == network.local.id ? .here : .there(server)
  }

  /// The numbers of all servers but this one.
  var otherServers: [UInt16] {
    ring.members.map(\.slot).filter { $0 != network.local.slot }
  }

  /// The other server that a user is at home on.
  func server(ofUser id: String) -> UInt16? { other(ring.home(ofUser: id)) }

  /// The other server that a channel is at home on.
  func server(ofChannel url: String) -> UInt16? { other(ring.home(ofChannel: url)) }

  private func other(_ member: ClusterMember) -> UInt16? {
    member.id == network.local.id ? nil : member.slot
  }

  // MARK: Sending

  func transmit(_ message: ShardMessage) { transmit(message, residence(of: message)) }

  func transmit(_ message: ShardMessage, _ residence: ShardSet.Residence) {
    switch residence {
    case .here:
      guard let receiver = shard.services.shards.receiver(of: message) else {
        return figures.add(to: .lost)
      }
      shard.send(.message(message), to: receiver)
    case .there(let server):
      let bytes = RelayedMessage(message).encoded()
      let isOwnCall = message.callAddress?.shard == shard.handle.address
      network.enqueue(
        bytes, to: server, knowing: isOwnCall ? resetCounts[server] ?? 0 : nil)
      hasEnqueued = true
    case .nowhere: figures.add(to: .lost)
    }
  }

  /// Flushes the turn's messages to other servers.
  func flush() {
    guard hasEnqueued else { return }
    hasEnqueued = false
    network.flush()
  }
}

extension Shard {
  /// The number of the server that a channel is at home on, by the ring that this shard uses.
  func homeServer(ofChannel url: String) -> UInt16 {
    edge?.routes.ring.home(ofChannel: url).slot ?? 0
  }
}

extension ShardSet.Residence {
  /// The other server; `nil` for this one.
  var server: ServerID? {
    switch self {
    case .there(let server): server
    case .here, .nowhere: nil
    }
  }
}
