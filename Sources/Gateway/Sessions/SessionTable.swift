import Transport

/// The sessions of a shard, found through their connections: a table of their own would take room for
/// each of them.
struct SessionTable {
  private let transport: Transport

  init(_ transport: Transport) {
    self.transport = transport
  }

  /// The session on a connection; `nil` when the connection is gone or has none.
  subscript(connection: ConnectionID) -> Session? {
    transport.connection(connection)?.application as? Session
  }

  /// All of them, in no order.
  var all: [Session] {
    var found: [Session] = []
    transport.forEachConnection { connection in
      if let session = connection.application as? Session { found.append(session) }
    }
    return found
  }
}
