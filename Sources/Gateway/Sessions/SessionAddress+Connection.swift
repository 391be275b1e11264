import Channels
import Transport

extension SessionAddress {
  /// The address of a connection of this server.
  init(shard: Int, connection: ConnectionID) {
    self.init(shard: UInt16(shard), connection: connection.rawValue)
  }

  /// The connection on its shard.
  var connectionID: ConnectionID { ConnectionID(rawValue: connection) }
}

extension ShardSet {
  /// The shard that has a session.
  func shard(of session: SessionAddress) -> ShardHandle { self[Int(session.shard)] }
}

extension Shard {
  /// A session of this shard; `nil` when its connection is gone.
  func session(_ address: SessionAddress) -> Session? { sessions[address.connectionID] }

  /// Runs `body` with a session on the shard that has it, unless its connection is gone.
  func post(toSession address: SessionAddress, _ body: @escaping @Sendable (Session) -> Void) {
    post(to: services.shards.shard(of: address)) { shard in
      if let session = shard.session(address) { body(session) }
    }
  }
}
