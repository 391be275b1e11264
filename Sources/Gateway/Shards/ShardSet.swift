import Basics
import Channels
import Cluster

/// The shards of this process, the homes of channels and users on them, and the connection to the shards
/// of other servers.
///
/// On a single server messages only move between mailboxes, and are never encoded.
struct ShardSet: Sendable {
  let handles: [ShardHandle]
  /// The connection to other servers; `nil` on a single server.
  let network: (any ClusterNetwork)?

  /// - Parameter network: The number of its local server must be that of the handles.
  init(_ handles: [ShardHandle], network: (any ClusterNetwork)? = nil) {
    self.handles = handles
    self.network = network
  }

  /// Creates handles for the shards of this server.
  init(count: Int, network: (any ClusterNetwork)? = nil) throws {
    let server = network?.local.slot ?? 0
    self.init(
      try (0..<count).map { try ShardHandle(index: $0, server: server) }, network: network)
  }

  var count: Int { handles.count }

  /// This server's part of message ids.
  ///
  /// In a cluster all servers have room for 256 slots.
  var slot: ServerSlot {
    network.map { ServerSlot(number: Int64($0.local.slot), bits: 8) } ?? .only
  }

  subscript(index: Int) -> ShardHandle { handles[index] }

  /// The shard with a channel's state when the channel is at home on this server.
  func home(ofChannel url: String) -> ShardHandle {
    handles[stageIndex(ofChannel: url)]
  }

  /// The index of the shard that has the stage of a channel on this server.
  func stageIndex(ofChannel url: String) -> Int { Self.hash(url) % handles.count }

  /// The shard with a user's sessions and channels when the user is at home on this server.
  func home(ofUser id: String) -> ShardHandle {
    handles[Self.hash(id) % handles.count]
  }

  /// The shard of this server that receives a message; `nil` when there is no shard of that number.
  ///
  /// The address may come from another server, which knew this one with more shards.
  func receiver(of message: ShardMessage) -> ShardHandle? {
    switch message {
    case .channel(let url, _), .stage(_, let url, _): home(ofChannel: url)
    case .user(let id, _): home(ofUser: id)
    case .session(let address, _): handle(address.shard)
    case .exchange(let address, _): handle(address.shard.shard)
    case .shard(let address, _): handle(address.shard)
    }
  }

  private func handle(_ number: UInt16) -> ShardHandle? {
    handles.indices.contains(Int(number)) ? handles[Int(number)] : nil
  }

  /// Sends a message.
  ///
  /// Messages from one thread to one shard arrive in the order they were sent.
  ///
  /// A shard uses ``Shard/send(_:)``, which keeps messages to the shard itself.
  func send(_ message: ShardMessage) {
    if let network, relay(message, over: network) { return }
    receiver(of: message)?.post(.message(message))
  }

  /// Sends a message from a job of the store, without waking the shard.
  ///
  /// The store wakes the shards when its batch is answered.
  func enqueue(_ message: ShardMessage) {
    if let network, relay(message, over: network) { return }
    receiver(of: message)?.enqueue(.message(message))
  }

  /// Wakes the shards that have enqueued mail.
  func wake() {
    for shard in handles { shard.wake() }
  }

  /// Sends a request of an HTTP exchange.
  ///
  /// The exchange's shard keeps the request until it is answered.
  func send(_ message: ShardMessage, from exchange: ExchangeAddress) {
    guard network != nil else { return send(message) }
    handles[Int(exchange.shard.shard)].post(.local(.send(message)))
  }

  /// Sends a task to every shard of this process.
  func sendToAll(_ task: ShardTask) {
    for shard in handles { shard.post(.message(.shard(shard.address, task))) }
  }

  /// Runs a closure on the first shard of this process.
  func onFirstShard(_ body: @escaping ReturnPath.Rest) { handles[0].post(.rest(body)) }

  /// Sends a message to every shard of this process.
  func sendToAll(_ message: LocalMessage) {
    for shard in handles { shard.post(.local(message)) }
  }

  /// The same hash in every process, so that homes do not move when a process restarts.
  private static func hash(_ text: String) -> Int {
    Int(truncatingIfNeeded: FNV1a.hash(text) >> 1)
  }
}

extension ShardSet {
  /// The location of the receiver of a message.
  enum Residence: Equatable {
    case here
    case there(ServerID)
    /// The server in the address has left.
    case nowhere
  }

  /// Finds the location of the receiver of a message that a shard or a job of this server sends.
  func residence(
    of message: ShardMessage, in ring: ServerRing, seenBy local: ClusterMember
  ) -> Residence {
    switch message {
    case .channel(let url, _): Self.residence(ring.home(ofChannel: url), local)
    case .stage(let server, _, _): Self.residence(server, ring, local)
    case .user(let id, _): Self.residence(ring.home(ofUser: id), local)
    case .session(let address, _): Self.residence(address.server, ring, local)
    case .exchange(let address, _): Self.residence(address.shard.server, ring, local)
    case .shard(let address, _): Self.residence(address.server, ring, local)
    }
  }

  private static func residence(_ member: ClusterMember, _ local: ClusterMember) -> Residence {
    member.id == local.id ? .here : .there(member.id)
  }

  private static func residence(
    _ slot: UInt16, _ ring: ServerRing, _ local: ClusterMember
  ) -> Residence {
    if slot == local.slot { return .here }
    return ring.member(slot: slot).map { .there($0.id) } ?? .nowhere
  }

  /// Whether this server has the shards that a message from another server names: the receiver, and the
  /// shard that waits for the answer.
  ///
  /// A stage admits only sessions of its own server, and only shards of the same server deliver events
  /// to one another.
  func hasShards(for message: ShardMessage) -> Bool {
    if let caller = message.callAddress, !mayExist(caller.shard) { return false }
    return switch message {
    case .stage(_, _, .enter(let request)):
      exists(request.principal.session.home) && exists(request.address.session.home)
    case .channel, .stage, .user: true
    case .session(let address, _): mayExist(address.home)
    case .exchange(let address, _): mayExist(address.shard)
    case .shard(_, .deliver), .shard(_, .notify): false
    case .shard(let address, _): mayExist(address)
    }
  }

  /// Whether a shard is on another server, or exists on this one.
  private func mayExist(_ address: ShardAddress) -> Bool {
    !isLocal(address) || Int(address.shard) < count
  }

  /// Whether a shard exists on this server.
  private func exists(_ address: ShardAddress) -> Bool {
    isLocal(address) && Int(address.shard) < count
  }

  private func isLocal(_ address: ShardAddress) -> Bool {
    address.server == network?.local.slot ?? 0
  }

  /// Sends a message to another server.
  ///
  /// - Returns: Whether the receiver is not on this server.
  private func relay(_ message: ShardMessage, over network: any ClusterNetwork) -> Bool {
    switch residence(of: message, in: network.ring, seenBy: network.local) {
    case .here: return false
    case .there(let server):
      let relayed = RelayedMessage(message)
      network.send(relayed.encoded(), to: server)
    case .nowhere: break
    }
    return true
  }
}
