import ClientSockets
import ClientTransport
@testable import ParleyClient
import HTTP
import ParleyProtocol
import Reactor
import Synchronization
import TestPeers
import TestSupport
import Testing

@Suite("Connecting over sockets", .onOwnThreads)
struct ConnectionTests {
  @Test("a session opens, calls are answered, and closing sends 1000")
  func wholeLife() async throws {
    let code = Mutex<UInt16?>(nil)
    let head = Mutex<HTTPRequestHead?>(nil)
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket)
      head.withLock { $0 = peer.request }
      try peer.answer(#"{"session_id":"s"}"#)
      try peer.send(#"{"jsonrpc":"2.0","method":"mention.received","params":{"n":1}}"#)
      try peer.answer(#"{"time":1}"#)
      try peer.answer()
      try peer.close(.normalClosure)
      code.withLock { $0 = try? peer.closeCode() }
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url + "/v1/ws?x=1") {
      $0.headers = [("X-Team", "blue")]
    }
    #expect(try await rig.open() == #"{"session_id":"s"}"#)
    #expect(try await rig.waitForNotification("mention.received") == Array(#"{"n":1}"#.utf8))
    #expect(try await rig.call("session.ping") == #"{"time":1}"#)
    await rig.close()
    _ = try await rig.waitForState("the end") { $0 == .disconnected(because: .requested) }
    try await Deadline.standard.wait(for: "the close code") { code.withLock { $0 != nil } }
    #expect(code.withLock { $0 } == 1000)
    let request = try #require(head.withLock { $0 })
    #expect(request.target == "/v1/ws?x=1")
    #expect(request.fields["Host"] == "127.0.0.1:\(server.port)")
    #expect(request.fields["Sec-WebSocket-Protocol"] == "parley.v1")
    #expect(request.fields["X-Team"] == "blue")
    #expect(request.fields.contains("Sec-WebSocket-Extensions"))
    #expect(server.failures.isEmpty)
  }

  @Test("input that arrives byte by byte is understood")
  func byteByByte() async throws {
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket, piece: 1)
      try peer.answer(piece: 1)
      try peer.answer(#"{"list":[1,2,3]}"#, piece: 1)
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url)
    _ = try await rig.open()
    #expect(try await rig.call("channel.list") == #"{"list":[1,2,3]}"#)
  }

  @Test("IPv6 works")
  func v6() async throws {
    let server = try ScriptedServer(.v6) { socket, _ in
      try WebSocketPeer(socket).answerAll()
    }
    defer { server.stop() }
    let rig = try EngineRig("ws://[::1]:\(server.port)")
    _ = try await rig.open()
    await rig.close()
  }

  @Test("the addresses of a name are tried in order until one answers")
  func severalAddresses() async throws {
    let server = try ScriptedServer { socket, _ in try WebSocketPeer(socket).answerAll() }
    defer { server.stop() }
    let resolver = NameResolver { host, port in
      #expect(host == "chat.test")
      // Nothing listens on that port of the first.
      return .success(
        ["127.0.0.9", "127.0.0.1"].compactMap { SocketAddress(host: $0, port: port) })
    }
    let rig = try EngineRig(
      "ws://chat.test:\(server.port)", on: try ClientLoop(resolver: resolver))
    _ = try await rig.open()
    await rig.close()
  }

  @Test("messages are compressed when compression was negotiated", arguments: [true, false])
  func compression(isOffered: Bool) async throws {
    let agreed = Mutex<Bool?>(nil)
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket, compression: PermessageDeflate.Policy())
      agreed.withLock { $0 = peer.agreement != nil }
      try peer.answer()
      let request = try peer.nextRequest()
      let text = try #require(request.params["m"]?.string)
      try peer.send(#"{"jsonrpc":"2.0","id":\#(request.id),"result":"\#(text)"}"#)
      try peer.answerAll()
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url) {
      $0.compression = isOffered ? .offered : .notOffered
    }
    _ = try await rig.open()
    let text = String(repeating: "abc", count: 10_000)
    #expect(try await rig.call("message.send", "{\"m\":\"\(text)\"}") == "\"\(text)\"")
    #expect(agreed.withLock { $0 } == isOffered)
    await rig.close()
  }

  @Test("a server's ping is answered")
  func ping() async throws {
    let pong = Mutex<[UInt8]?>(nil)
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      try peer.ping([1, 2, 3])
      while let event = try peer.next() {
        if case .pong(let payload) = event { pong.withLock { $0 = payload } }
      }
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url)
    _ = try await rig.open()
    try await Deadline.standard.wait(for: "the pong") { pong.withLock { $0 != nil } }
    #expect(pong.withLock { $0 } == [1, 2, 3])
    withExtendedLifetime(rig) {}
  }

  @Test("a broken connection is re-established, and safe calls are repeated")
  func reconnects() async throws {
    let server = try ScriptedServer { socket, number in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      if number == 0 {
        _ = try peer.nextRequest()
        socket.close()
      } else {
        try peer.answerAll()
      }
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url)
    _ = try await rig.open()
    #expect(try await rig.call("channel.get").hasPrefix(#"{"n":"#))
    guard
      case .reconnecting(1, _, because: .lost(let reason)) = try await rig.waitForState(
        "a reconnection", { if case .reconnecting = $0 { true } else { false } })
    else {
      Issue.record("another state")
      return
    }
    #expect(reason == "the server ended the connection")
    await rig.close()
    #expect(server.connectionCount == 2)
  }

  @Test("an engine that is released closes its connection")
  func givenUp() async throws {
    let code = Mutex<UInt16?>(nil)
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      let seen = try peer.closeCode()
      code.withLock { $0 = seen }
    }
    defer { server.stop() }
    var rig: EngineRig? = try EngineRig(server.url, on: try ClientLoop.shared())
    _ = try await rig?.open()
    rig = nil
    try await Deadline.standard.wait(for: "the close code") { code.withLock { $0 != nil } }
    #expect(code.withLock { $0 } == 1000)
  }

  @Test("wherever the server's bytes are cut, the session opens and a safe call is answered")
  func cutEverywhere() async throws {
    let loop = try ClientLoop()
    // The opening handshake and two answers together are shorter.
    try await withThrowingTaskGroup(of: Void.self) { group in
      for allowance in stride(from: 0, to: 320, by: 1) {
        if allowance >= 16 { try await group.next() }
        group.addTask {
          let server = try ScriptedServer { socket, number in
            let stream: any ByteStream =
              number == 0 ? CuttingStream(socket, after: allowance) : socket
            try WebSocketPeer(stream).answerAll()
          }
          defer { server.stop() }
          let rig = try EngineRig(server.url, on: loop)
          _ = try await rig.open()
          #expect(try await rig.call("channel.get").hasPrefix(#"{"n":"#), "\(allowance)")
          await rig.close()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("calls of a released engine are cancelled")
  func abandonedCalls() async throws {
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let outcomes = Mutex<[ParleyError]>([])
    var rig: EngineRig? = try EngineRig(server.url, on: try ClientLoop.shared())
    _ = try await rig?.open()
    let call = EngineCall(method: "a", params: Array("{}".utf8), repeatability: .safe)
    for _ in 0..<3 {
      rig?.engine.call(call) { result in
        if case .failure(let error) = result { outcomes.withLock { $0.append(error) } }
      }
    }
    rig = nil
    try await Deadline.standard.wait(for: "the outcomes") { outcomes.withLock { $0.count == 3 } }
    #expect(outcomes.withLock { $0 } == [.cancelled, .cancelled, .cancelled])
  }

  @Test("calls beyond the limit are refused, however fast they are made")
  func callFlood() async throws {
    let server = try ScriptedServer { socket, _ in
      let peer = try WebSocketPeer(socket)
      try peer.answer()
      _ = try peer.closeCode()
    }
    defer { server.stop() }
    let rig = try EngineRig(server.url) { $0.maximumPendingCalls = 10 }
    _ = try await rig.open()
    let refused = Mutex(0)
    let call = EngineCall(method: "a", params: Array("{}".utf8), repeatability: .safe)
    for _ in 0..<1000 {
      rig.engine.call(call) { result in
        if case .failure(.tooManyPending(limit: 10)) = result { refused.withLock { $0 += 1 } }
      }
    }
    try await Deadline.standard.wait(for: "the refusals") { refused.withLock { $0 == 990 } }
  }

  @Test("many clients share one thread")
  func manyClients() async throws {
    let server = try ScriptedServer { socket, _ in try WebSocketPeer(socket).answerAll() }
    defer { server.stop() }
    let loop = try ClientLoop()
    let rigs = try (0..<100).map { _ in try EngineRig(server.url, on: loop) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for rig in rigs {
        group.addTask {
          _ = try await rig.open()
          for _ in 0..<5 { _ = try await rig.call("channel.get") }
          await rig.close()
        }
      }
      try await group.waitForAll()
    }
    #expect(server.connectionCount == 100)
  }
}
