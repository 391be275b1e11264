import ClientSockets
import ClientTransport
@testable import ParleyClient
import HTTP
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@Suite("Hostile servers", .onOwnThreads)
struct HostileServerTests {
  /// A server that answers every connection with the same bytes, once the request has come.
  private func server(answering text: String) throws -> ScriptedServer {
    try ScriptedServer { socket, _ in
      _ = try WebSocketPeer.readHead(socket)
      try socket.write(Array(text.utf8), .standard)
      _ = try? socket.readToEnd()
    }
  }

  private func failure(
    answering text: String, _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws -> (ParleyError?, connections: Int) {
    let server = try server(answering: text)
    defer { server.stop() }
    let rig = try EngineRig(server.url, configure)
    return (await rig.openFailure(), server.connectionCount)
  }

  @Test(
    "a response that is not a WebSocket handshake fails at once with the reason",
    arguments: [
      ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "404"),
      (
        "HTTP/1.1 400 Bad Request\r\nContent-Length: 48\r\n\r\n"
          + #"{"error":true,"code":400111,"message":"go home"}"#, "go home"
      ),
      ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "200"),
      ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "no HTTP"),
      ("\u{0}\u{1}\u{2}\r\n\r\n", "no HTTP"),
      (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Accept: c3RvbGVu\r\n\r\n", "Sec-WebSocket-Accept"
      ),
      (
        "HTTP/1.1 200 OK\r\nX: \(String(repeating: "x", count: 20_000))\r\n\r\n", "no HTTP"
      ),
    ])
  func lasting(answer: String, word: String) async throws {
    let (error, connections) = try await failure(answering: answer)
    #expect(error?.message.contains(word) == true, "\(String(describing: error))")
    #expect(connections == 1)
  }

  @Test("401 and 403 are reported as unauthorized", arguments: [401, 403])
  func unauthorized(status: Int) async throws {
    let (error, connections) = try await failure(
      answering: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
    guard case .unauthorized = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(connections == 1)
  }

  @Test("a connection refused by a full server is retried")
  func unavailable() async throws {
    let server = try ScriptedServer { socket, number in
      guard number < 3 else { return try WebSocketPeer(socket).answerAll() }
      _ = try WebSocketPeer.readHead(socket)
      let answer = "HTTP/1.1 503 Full\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n"
      try socket.write(Array(answer.utf8), .standard)
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url)
    _ = try await rig.open()
    #expect(server.connectionCount == 4)
    await rig.close()
  }

  @Test("an attempt without a response is abandoned and retried")
  func silent() async throws {
    let server = try ScriptedServer { socket, number in
      guard number == 0 else { return try WebSocketPeer(socket).answerAll() }
      _ = try? socket.readToEnd()
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url) { $0.attemptTimeout = .milliseconds(500).patient }
    _ = try await rig.open()
    #expect(server.connectionCount > 1)
    await rig.close()
  }

  @Test("a port without a listener is reported with its address")
  func refused() async throws {
    let silent = try SilentPort()
    let rig = try EngineRig("ws://127.0.0.1:\(silent.port)") { $0.connectTimeout = .seconds(2) }
    let error = await rig.openFailure()
    let reason = "connect 127.0.0.1:\(silent.port): Connection refused"
    #expect(error == .connectionFailed(reason))
  }

  @Test("a name that is not found is reported")
  func unknownName() async throws {
    let resolver = NameResolver { host, _ in
      .failure(NameResolver.Failure("no \(host)"))
    }
    let rig = try EngineRig("ws://chat.test", on: try ClientLoop(resolver: resolver)) {
      $0.connectTimeout = .seconds(2)
    }
    #expect(await rig.openFailure() == .connectionFailed("no chat.test"))
  }

  @Test("an invalid setting is reported without connecting")
  func wrongSettings() async throws {
    for url in [
      "", "http://a.b", "ws://", "ws://a b", "ws://u:p@a.b", "ws://a.b:0", "ws://a:99999",
    ] {
      guard case .invalidConfiguration = await (try EngineRig(url)).openFailure() else {
        Issue.record("\(url)")
        continue
      }
    }
    let headers = try EngineRig("ws://127.0.0.1:1") { $0.headers = [("Host", "x")] }
    guard case .invalidConfiguration = await headers.openFailure() else {
      Issue.record("a Host field was taken")
      return
    }
  }

  /// What the server's first connection does after the session is open, and the close code that it
  /// then sees.
  private func closeCode(
    _ misbehave: @escaping @Sendable (WebSocketPeer) throws -> Void,
    _ configure: (inout EngineConfiguration) -> Void = { _ in }
  ) async throws -> (UInt16, ConnectionState) {
    let code = Mutex<UInt16?>(nil)
    let server = try ScriptedServer { socket, number in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      guard number == 0 else { return try peer.answerAll() }
      try misbehave(peer)
      let seen = try peer.closeCode()
      code.withLock { $0 = seen }
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url, configure)
    _ = try await rig.open()
    let state = try await rig.waitForState("a reconnection") {
      if case .reconnecting = $0 { true } else { false }
    }
    #expect(try await rig.call("channel.get").hasPrefix(#"{"n":"#))
    try await Deadline.standard.wait(for: "the close code") { code.withLock { $0 != nil } }
    await rig.close()
    return (try #require(code.withLock { $0 }), state)
  }

  @Test("a message over the limit closes with 1009")
  func tooLarge() async throws {
    let (code, state) = try await closeCode(
      { peer in
        try peer.send("\"\(String(repeating: "x", count: 5000))\"")
      }, { $0.maximumMessageBytes = 4096 })
    #expect(code == 1009)
    guard case .reconnecting(_, _, because: .protocolViolation) = state else {
      Issue.record("\(state)")
      return
    }
  }

  @Test("a masked frame closes with 1002")
  func masked() async throws {
    let (code, _) = try await closeCode { peer in
      try peer.stream.write([0x81, 0x81, 1, 2, 3, 4, 0], .standard)
    }
    #expect(code == 1002)
  }

  @Test("a binary message closes with 1003")
  func binary() async throws {
    let (code, _) = try await closeCode { peer in
      try peer.stream.write([0x82, 1, 0], .standard)
    }
    #expect(code == 1003)
  }

  @Test("text that is not UTF-8 closes with 1007")
  func notUTF8() async throws {
    let (code, _) = try await closeCode { peer in
      try peer.stream.write([0x81, 2, 0xC3, 0x28], .standard)
    }
    #expect(code == 1007)
  }

  @Test("text that is not JSON-RPC closes with 1002")
  func notJSON() async throws {
    let (code, _) = try await closeCode { try $0.send("{]") }
    #expect(code == 1002)
  }

  @Test("a connection whose server does not read is closed once too many bytes are queued")
  func stalled() async throws {
    let server = try ScriptedServer { socket, number in
      let peer = try WebSocketPeer(socket)
      try peer.answer(#"{"limits":{"message_bytes":10000000}}"#)
      // Reads no more on the first connection until the client has left it.
      guard number == 0 else { return try peer.answerAll() }
      try Deadline.in(seconds: 300).wait(for: "another connection") {
        // Pongs: without any sign of life, a slow machine would lose the connection first.
        try? peer.stream.write([0x8A, 0], .standard)
        return false
      }
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url) {
      $0.maximumPendingBytes = 4_000_000
      $0.requestTimeout = .seconds(1).patient
      $0.compression = .notOffered
    }
    _ = try await rig.open()
    let text = "{\"m\":\"\(String(repeating: "x", count: 1_000_000))\"}"
    // Calls run out and give their place to others, but what was written for them still waits.
    let state = try await withThrowingTaskGroup(of: ConnectionState?.self) { group in
      group.addTask {
        try await rig.waitForState("a reconnection") {
          if case .reconnecting = $0 { true } else { false }
        }
      }
      group.addTask {
        while !Task.isCancelled { _ = try? await rig.call("message.send", text, .once) }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
    guard case .reconnecting(_, _, because: .lost(let reason))? = state else {
      Issue.record("\(String(describing: state))")
      return
    }
    #expect(reason.contains("too slowly"))
  }
}
