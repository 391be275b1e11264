import TestPeers
import TestSupport

@testable import ParleyClient

extension ScriptedServer {
  /// A client that this server has let in.
  func client() async throws -> ParleyClient {
    var configuration = ParleyClientConfiguration(serverURL: url)
    configuration.requestTimeout = .seconds(60).patient
    configuration.connectTimeout = .seconds(60).patient
    let client = ParleyClient(configuration: configuration)
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
