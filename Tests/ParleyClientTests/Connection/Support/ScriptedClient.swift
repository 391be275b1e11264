import TestPeers

@testable import ParleyClient

extension ScriptedServer {
  /// A client that this server has let in.
  func client() async throws -> ParleyClient {
    let client = ParleyClient(configuration: ParleyClientConfiguration(serverURL: url))
    try await client.connect(userID: "jeff")
    return client
  }
}

extension WebSocketPeer {
  /// Lets a client in.
  convenience init(admitting stream: any ByteStream) throws {
    try self.init(stream)
    try answer(#"{"session_id":"s","user":\#(Sample.user)}"#)
  }
}
