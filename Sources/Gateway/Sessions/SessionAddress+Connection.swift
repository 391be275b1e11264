import Channels
import Transport

extension SessionAddress {
  /// The address of a connection of this server.
  init(node: Int, connection: ConnectionID) {
    self.init(shard: UInt16(node), connection: connection.rawValue)
  }

  /// The connection on its node.
  var connectionID: ConnectionID { ConnectionID(rawValue: connection) }
}

extension Cluster {
  /// The node that has a session.
  func node(of session: SessionAddress) -> NodeHandle { nodes[Int(session.shard)] }
}

extension Node {
  /// A session of this node; `nil` when its connection is gone.
  func session(_ address: SessionAddress) -> Session? { sessions[address.connectionID] }

  /// Runs `body` with a session on the node that has it, unless its connection is gone.
  func post(toSession address: SessionAddress, _ body: @escaping @Sendable (Session) -> Void) {
    post(to: services.cluster.node(of: address)) { node in
      if let session = node.session(address) { body(session) }
    }
  }
}
