/// Names a session anywhere in the deployment, by its server, its event loop there and its
/// connection.
package struct SessionAddress: Hashable, Sendable {
  package let server: UInt16
  package let shard: UInt16
  /// The number that the shard gave the connection; no other connection of the shard ever has it.
  package let connection: UInt64

  /// - Parameter server: 0 in a deployment of one server.
  package init(server: UInt16 = 0, shard: UInt16, connection: UInt64) {
    self.server = server
    self.shard = shard
    self.connection = connection
  }
}
