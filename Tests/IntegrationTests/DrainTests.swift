import Foundation
import ParleyProtocol
import Testing
import TestPeers
import TestSupport

extension ServerTests {
  @Suite("that receives a stop signal")
  struct DrainTests {
    @Test(
      "answers and stores all accepted messages, asks clients to reconnect, and exits with 0",
      arguments: [1, 3])
    func drain(reactors: Int) throws {
      let server = try ServerProcess(unlimitedSending + ["--reactors", "\(reactors)"])
      let viewer = try server.open("viewer")
      try viewer.create("lobby")
      try viewer.enter("lobby")
      let traffic = TestThread.concurrentlyStarted(3) { index in
        try Self.sendUntilClosed(server, "sender-\(index)")
      }
      try viewer.awaitEvents(moreThan: 100)
      server.process.send(signal: SIGTERM)
      let notice = try viewer.event("server.draining")
      #expect(try #require(notice.params?["reconnect_after_ms"]?.integer) >= 0)
      #expect(try viewer.waitForClose() == 1001)
      let answered = try traffic().flatMap(\.self)
      #expect(try server.process.waitForEnd() == .exited(0))

      let second = try ServerProcess(in: server.directory)
      let stored = try second.open("viewer").allMessages(in: "lobby")
      #expect(Set(stored.map(\.id)) == Set(answered.map(\.id)))
      #expect(stored.count == answered.count)
    }

    @Test("returns 503 while draining, and refuses new sessions")
    func readiness() throws {
      let server = try ServerProcess(["--drain-timeout-ms", "600000", "--reactors", "1"])
      #expect(try server.get("/readyz").status == 200)
      let held = try server.open("held")
      held.connection.fallSilent()
      server.process.send(signal: SIGTERM)
      _ = try held.event("server.draining")
      try server.waitForReadiness(503)
      #expect(try server.get("/healthz").status == 200)
      let refused = try server.platform("/v3/users")
      #expect(refused.status == 503)
      #expect(refused.body["code"]?.integer == 400_501)
      #expect(refused.body["retry_after_ms"]?.integer == 1000)
      #expect(try server.platform("/v3/users", token: "wrong").status == 401)
      #expect(try server.call("GET", "parley/status")["is_ready"]?.bool == false)
      try server.call("POST", "parley/drain")
      #expect(throws: (any Error).self) { try server.connect() }
      held.connection.stream.close()
      #expect(try server.process.waitForEnd() == .exited(0))
    }

    @Test("does not wait for clients after a second signal")
    func hurry() throws {
      let server = try ServerProcess(["--drain-timeout-ms", "600000", "--reactors", "1"])
      let jeff = try server.open("jeff")
      try jeff.create("lobby")
      try jeff.enter("lobby")
      let sent = try jeff.send("kept", to: "lobby")
      let held = try server.open("held")
      held.connection.fallSilent()
      server.process.send(signal: SIGTERM)
      _ = try held.event("server.draining")
      server.process.send(signal: SIGTERM)
      let ending = try server.process.waitForEnd()
      #expect(ending == .exited(0), "\(server.process.log.text)")
      #expect(server.process.log.text.contains("stopping without waiting for clients"))
      let second = try ServerProcess(in: server.directory)
      #expect(try second.open("jeff").allMessages(in: "lobby").map(\.id) == [sent.id])
    }

    @Test(
      "stops immediately if it has no clients, on SIGINT as on SIGTERM",
      arguments: [SIGINT, SIGTERM])
    func idle(signal: Int32) throws {
      let server = try ServerProcess()
      server.process.send(signal: signal)
      #expect(try server.process.waitForEnd() == .exited(0))
    }

    @Test("does not wait for connections that are idle or have never sent anything")
    func idleConnections() throws {
      let server = try ServerProcess([
        "--drain-timeout-ms", "600000", "--limits-head-timeout-ms", "600000",
      ])
      // Keeps the server from its end for the time in which a client may answer a close frame.
      let held = try server.open("held")
      held.connection.fallSilent()
      let silent = try (0..<50).map { _ in try StreamSocket(port: server.port) }
      let idle = try (0..<50).map { _ in
        let socket = try StreamSocket(port: server.port)
        try socket.write(
          Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), .standard)
        var answer: [UInt8] = []
        while !String(decoding: answer, as: UTF8.self).hasSuffix("alive\n") {
          let piece = try socket.read(.standard)
          guard !piece.isEmpty else { throw TestFailure("the connection was closed") }
          answer += piece
        }
        return socket
      }
      server.process.send(signal: SIGTERM)
      for socket in silent + idle { #expect(try socket.read(.standard).isEmpty) }
      #expect(server.process.isRunning)
      held.connection.stream.close()
      #expect(try server.process.waitForEnd() == .exited(0))
    }

    /// Sends as fast as it can until the server closes, and checks that what was not answered came
    /// after all that was.
    private static func sendUntilClosed(
      _ server: ServerProcess, _ userID: String
    ) throws -> [SentMessage] {
      let client = try server.open(userID)
      try client.enter("lobby")
      var pending: [RPCIdentifier] = []
      var answered: [SentMessage] = []
      while client.closeCode == nil {
        guard let id = try? client.requestSend("\(pending.count)", to: "lobby") else { break }
        pending.append(id)
        guard pending.count >= 24 else { continue }
        guard let reply = try? client.reply(to: pending[0]) else { break }
        pending.removeFirst()
        answered.append(try SentMessage(reply.result.get()))
      }
      #expect(try client.waitForClose() == 1001)
      let rest = pending.map { client.takeReply(to: $0) }
      let late = rest.prefix { $0 != nil }.compactMap(\.self)
      #expect(rest.dropFirst(late.count).allSatisfy { $0 == nil })
      return answered + (try late.map { try SentMessage($0.result.get()) })
    }
  }
}
