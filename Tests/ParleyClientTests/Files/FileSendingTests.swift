import ParleyProtocol
import Synchronization
import TestPeers
import TestSupport
import Testing
import HTTP

@testable import ParleyClient

@Suite("Sending a file", .onOwnThreads)
struct FileSendingTests {
  @Test("ends with the server's response when the client disconnects after the message was sent")
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

  @Test("leaves no upload on the server when it is cancelled during creation")
  func cancellingCreation() async throws {
    let requests = Requests()
    let gate = Gate()
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(admitting: socket)
      let create = try requests.next(of: peer)
      gate.wait()
      try peer.answer(
        create.id,
        with: #"{"file":{"file_id":"f1"},"upload_url":"http://127.0.0.1:1/v1/uploads/x"}"#)
      try peer.answer(requests.next(of: peer).id, with: #"{"cancelled":true}"#)
      try peer.refuse(requests.next(of: peer).id)
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let client = try await server.client()
    let lobby = try client.core.enteredChannel()
    let sending = lobby.sendingFileMessage(params: .init(file: .bytes([1])))
    try await requests.wait(for: 1)
    #expect(sending.cancel())
    gate.open()
    await #expect(throws: ParleyError.cancelled) { try await sending.message() }
    try await requests.wait(for: 2)
    #expect(requests.all[1] == "file.cancel f1")
    // The next attempt has an upload of its own: the first is gone.
    await #expect(throws: ParleyError.self) {
      try await lobby.resendFileMessage(sending.pendingMessage)
    }
    #expect(requests.all[2].hasPrefix("file.create "))
    #expect(requests.all[2] != requests.all[0])
  }

  @Test("requests the same upload again when the outcome of its creation is unknown")
  func repeatingCreation() async throws {
    let requests = Requests()
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(admitting: socket)
      for _ in 0..<2 { try peer.refuse(requests.next(of: peer).id) }
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let client = try await server.client()
    let lobby = try client.core.enteredChannel()
    let sending = lobby.sendingFileMessage(params: .init(file: .bytes([1])))
    await #expect(throws: ParleyError.self) { try await sending.message() }
    await #expect(throws: ParleyError.self) {
      try await lobby.resendFileMessage(sending.pendingMessage)
    }
    #expect(requests.all.count == 2)
    #expect(requests.all[0] == requests.all[1])
  }
}

/// The requests that a server got, each with what it names.
private final class Requests: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func next(of peer: WebSocketPeer) throws -> (id: String, method: String, params: JSONNode) {
    let request = try peer.nextRequest()
    let name = request.params["req_id"]?.string ?? request.params["file_id"]?.string ?? ""
    texts.withLock { $0.append("\(request.method) \(name)") }
    return request
  }

  func wait(for count: Int) async throws {
    try await Deadline.standard.wait(for: "request \(count)") { all.count >= count }
  }
}

extension WebSocketPeer {
  fileprivate func answer(_ id: String, with result: String) throws {
    try send(#"{"jsonrpc":"2.0","id":\#(id),"result":\#(result)}"#)
  }

  /// Refuses a request because of a fault of the server's own.
  fileprivate func refuse(_ id: String) throws {
    try send(#"{"jsonrpc":"2.0","id":\#(id),"error":{"code":500901,"message":"no"}}"#)
  }
}
