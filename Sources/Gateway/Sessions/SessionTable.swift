import Transport

/// The sessions of a shard, found through their connections: a separate table would use memory for each
/// session.
struct SessionTable {
  private let transport: Transport

  init(_ transport: Transport) {
    self.transport = transport
  }

  /// The session on a connection; `nil` when the connection is gone or has none.
  subscript(connection: ConnectionID) -> Session? {
    transport.connection(connection)?.application as? Session
  }

  /// All sessions, in no particular order.
  var all: [Session] {
    var found: [Session] = []
    transport.forEachConnection { connection in
      if let session = connection.application as? Session { found.append(session) }
    }
    return found
  }
}
