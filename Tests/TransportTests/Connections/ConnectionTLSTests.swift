import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Connection: TLS", .onOwnThreads)
struct ConnectionTLSTests {
  @Test("requests and messages pass through TLS, and the end is announced")
  func encrypts() throws {
    let certificate = try Certificate()
    let server = try LoopServer(security: certificate.security)
    let client = try BlockingClient(server.address, tls: certificate.client)
    try client.write("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n")
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    #expect(try client.read(2) == Array("/a".utf8))
    try client.upgrade()
    try client.write(clientText("hello") + clientFrame(.ping))
    #expect(try client.readFrame() == serverText("hello"))
    #expect(try client.readFrame() == serverFrame(.pong))
    try client.write(clientClose(.normalClosure))
    #expect(try client.readFrame() == serverClose(.normalClosure))
    #expect(try client.seesGoodbye())
    #expect(try server.ask { $0.reasons } == [.peerClosed(.normalClosure)])
  }

  @Test("a message larger than an encryption step arrives whole")
  func encryptsInSteps() throws {
    var configuration = TransportConfiguration()
    configuration.webSocket.messageBytes = 1_000_000
    let certificate = try Certificate()
    let server = try LoopServer(configuration, security: certificate.security)
    let client = try BlockingClient(server.address, tls: certificate.client)
    try client.upgrade()
    let payload = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
    try client.write(clientFrame(.binary, payload))
    let expected = serverFrame(.binary, payload)
    #expect(try client.read(expected.count) == expected)
  }

  @Test("a broadcast buffer's bytes reach encrypted and plain subscribers alike")
  func fansOut() throws {
    let certificate = try Certificate()
    let server = try LoopServer(security: certificate.security)
    let clients = try (0..<3).map { _ in
      try BlockingClient(server.address, tls: certificate.client)
    }
    for client in clients { try client.upgrade() }
    _ = try server.ask { core in
      let broadcast = BroadcastBuffer(encoding: .plain, transport: core.transport)
      core.transport.forEachConnection { _ = broadcast.subscribe($0) }
      for _ in 0..<50 { broadcast.publish(serverText("event"), except: []) }
    }
    for client in clients {
      for _ in 0..<50 { #expect(try client.readFrame() == serverText("event")) }
    }
  }

  @Test("encrypted broadcast bytes that the kernel does not accept follow in order")
  func queuesTheRest() throws {
    let certificate = try Certificate()
    let server = try LoopServer(security: certificate.security)
    let client = try BlockingClient(server.address, tls: certificate.client)
    try client.upgrade()
    _ = try server.ask { core in
      let broadcast = BroadcastBuffer(encoding: .plain, transport: core.transport)
      core.transport.forEachConnection { _ = broadcast.subscribe($0) }
      core.broadcast = broadcast
    }
    func frame(_ number: Int) -> [UInt8] {
      serverFrame(.binary, [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 30_000))
    }
    var count = 0
    func publish() throws {
      let next = frame(count)
      count += 1
      try server.ask { $0.broadcast?.publish(next, except: []) }
    }
    repeat { try publish() } while try server.ask { $0.transport.queuedConnectionCount } == 0
    for _ in 0..<3 { try publish() }
    for number in 0..<count {
      let expected = frame(number)
      #expect(try client.read(expected.count) == expected)
    }
    try publish()
    #expect(try client.read(frame(0).count) == frame(count - 1))
  }

  @Test("plain text on a TLS port ends the connection and is reported")
  func refusesPlainText() throws {
    let certificate = try Certificate()
    let server = try LoopServer(security: certificate.security)
    let client = try BlockingClient(server.address)
    try client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try client.readToEnd()
    #expect(try server.ask { $0.tlsFailures.count } == 1)
  }

  @Test("a TLS session that breaks in the middle is lost")
  func losesBrokenSessions() throws {
    let certificate = try Certificate()
    let server = try LoopServer(security: certificate.security)
    let client = try BlockingClient(server.address, tls: certificate.client)
    try client.upgrade()
    try client.writeRaw([UInt8](repeating: 0x17, count: 100))
    try server.wait { !$0.reasons.isEmpty }
    #expect(try server.ask { $0.reasons } == [.lost])
    #expect(try server.ask { $0.tlsFailures.count } == 1)
  }

  @Test("an incomplete handshake times out after the time limit of a request")
  func givesUpHandshakes() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = 1000
    let certificate = try Certificate()
    let server = try LoopServer(configuration, security: certificate.security)
    let client = try BlockingClient(server.address)
    try client.writeRaw([0x16, 0x03, 0x01])
    #expect(try client.readToEnd().isEmpty)
    try server.wait { $0.transport.connectionCount == 0 }
  }
}
