import Channels
import Transport

extension SessionAddress {
  /// The address of a connection of a shard.
  init(on shard: ShardAddress, connection: ConnectionID) {
    self.init(server: shard.server, shard: shard.shard, connection: connection.rawValue)
  }

  /// The connection on its shard.
  var connectionID: ConnectionID { ConnectionID(rawValue: connection) }
}

extension Shard {
  /// A session of this shard; `nil` when its connection is gone.
  func session(_ address: SessionAddress) -> Session? { sessions[address.connectionID] }
}

extension Shard {
  /// Sends a reply to the session that waits for it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    send(.session(address.session, .complete(address, outcome)))
  }
}
