import Synchronization
import TestPeers
import Testing
import WebSocket

@testable import ParleyClient

@Suite("The sending of a file")
struct FileSendingTests {
  @Test("ends with the server's answer when the client disconnects after the message was sent")
  func disconnecting() async throws {
    let isSent = Mutex(false)
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(admitting: socket)
      let send = try peer.nextRequest()
      isSent.withLock { $0 = true }
      let close = try peer.nextRequest()
      try peer.answer(send.id, with: #"{"message":\#(Sample.message(type: "FILE")),"seq":1}"#)
      try peer.answer(close.id, with: "{}")
      try peer.close(.normalClosure)
    }
    defer { server.stop() }
    let client = try await server.client()
    let lobby = try client.core.enteredChannel()
    let sending = lobby.sendingFileMessage(params: .init(fileURL: "https://a.b/plan.png"))
    try await Deadline.standard.wait(for: "the message") { isSent.withLock { $0 } }
    await client.disconnect()
    #expect(try await sending.message().messageID == 7)
  }
}

extension WebSocketPeer {
  fileprivate func answer(_ id: String, with result: String) throws {
    try send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }
}
