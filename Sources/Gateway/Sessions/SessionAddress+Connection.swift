import Channels
import ShardMessages
import Transport

extension SessionAddress {
  /// The address of a connection of this server.
  init(server: UInt16 = 0, shard: Int, connection: ConnectionID) {
    self.init(server: server, shard: UInt16(shard), connection: connection.rawValue)
  }

  /// The connection on its shard.
  var connectionID: ConnectionID { ConnectionID(rawValue: connection) }
}

extension Shard {
  /// A session of this shard; `nil` when its connection is gone.
  func session(_ address: SessionAddress) -> Session? { sessions[address.connectionID] }
}

extension Shard {
  /// Brings a reply to the session that waits for it.
  func reply(to address: ReplyAddress, _ outcome: CallOutcome) {
    send(.session(address.session, .complete(address, outcome)))
  }
}
