import Synchronization
import TestPeers
import TestSupport
import Testing
import HTTP

@testable import ParleyClient

@Suite("A client", .onOwnThreads)
struct ParleyClientTests {
  private static let session =
    #"{"user":\#(Sample.user),"limits":{"message_bytes":262144},"ping_interval_ms":25000}"#

  @Test("sends nothing for a task that is already cancelled")
  func cancelledBefore() async throws {
    let methods = Mutex<[String]>([])
    let server = try ScriptedServer { stream, _ in
      let peer = try WebSocketPeer(stream)
      try peer.answer(Self.session)
      while true {
        let method = try peer.answer()
        methods.withLock { $0.append(method) }
        if method == "session.close" { return try peer.close(.normalClosure) }
      }
    }
    defer { server.stop() }
    let client = ParleyClient(configuration: .init(serverURL: server.url))
    try await client.connect(userID: "jeff")
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await client.updateCurrentUser(params: UserUpdateParams())
    }
    await #expect(throws: ParleyError.cancelled) { try await task.value }
    await client.disconnect()
    #expect(methods.withLock { $0 } == ["session.close"])
  }

  @Test("is not connected when the response to session.open can't be read")
  func unreadableSession() async throws {
    let server = try ScriptedServer { stream, number in
      let peer = try WebSocketPeer(stream)
      try peer.answer(number == 0 ? "{}" : Self.session)
      try peer.answerAll()
    }
    defer { server.stop() }
    let client = ParleyClient(configuration: .init(serverURL: server.url))
    await #expect(throws: ParleyError.self) { try await client.connect(userID: "jeff") }
    #expect(client.connectionState == .disconnected(because: .requested))
    #expect(try await client.connect(userID: "jeff").userID == "jeff")
    await client.disconnect()
  }
}
