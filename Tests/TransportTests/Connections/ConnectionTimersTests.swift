import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Connection: time limits", .onOwnThreads)
struct ConnectionTimersTests {
  @Test("a request that arrives slowly is refused with 408 at its time limit")
  func refusesSlowRequests() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = Duration.seconds(1).patientMilliseconds
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.write("GET / HTTP/1.1\r\nHo")
    #expect(try client.readHead().hasPrefix("HTTP/1.1 408 "))
    _ = try client.readToEnd()
  }

  @Test("a connection without any request is closed silently")
  func endsSilentConnections() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = 50
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    #expect(try client.readToEnd().isEmpty)
    try server.wait { $0.transport.connectionCount == 0 }
  }

  @Test("the time limit between two requests is separate")
  func keepsAlive() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = Duration.seconds(1).patientMilliseconds
    configuration.keepAliveTimeout = 3_600_000
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    // The time for a head passes meanwhile.
    #expect(try BlockingClient(server.address).readToEnd().isEmpty)
    try client.write("GET /b HTTP/1.1\r\nHo")
    let rest = String(decoding: try client.readToEnd(), as: UTF8.self)
    #expect(rest.hasPrefix("/aHTTP/1.1 408 "))
  }

  @Test("a connection without another request is closed silently")
  func endsIdleConnections() throws {
    var configuration = TransportConfiguration()
    configuration.keepAliveTimeout = Duration.seconds(1).patientMilliseconds
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.write("GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    #expect(try client.readToEnd() == Array("/a".utf8))
  }

  @Test("a refused client that does not disconnect is dropped at the closing time limit")
  func dropsRefusedClients() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = 3_600_000
    configuration.closeTimeout = 50
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.write("garbage\r\n\r\n")
    #expect(try client.readHead().hasPrefix("HTTP/1.1 400 "))
    try server.wait { $0.transport.connectionCount == 0 }
  }

  @Test("a peer that answers pings stays connected")
  func keepsLivePeers() throws {
    var configuration = TransportConfiguration()
    configuration.pingInterval = 20
    configuration.pongTimeout = Duration.seconds(60).patientMilliseconds
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.upgrade()
    #expect(try client.readFrame() == serverFrame(.ping))
    try client.write(clientFrame(.pong) + clientText("alive"))
    #expect(try client.readFrame() == serverText("alive"))
    #expect(try server.ask { $0.reasons.isEmpty })
  }

  @Test("pings continue as long as they are answered")
  func pingsAgain() throws {
    var configuration = TransportConfiguration()
    configuration.pongTimeout = Duration.milliseconds(1500).patientMilliseconds
    configuration.pingInterval = configuration.pongTimeout + 10
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.upgrade()
    for _ in 0..<2 {
      #expect(try client.readFrame() == serverFrame(.ping))
      try client.write(clientFrame(.pong))
    }
  }

  @Test("a peer that sends nothing after a ping is closed with 4005")
  func closesDeadPeers() throws {
    var configuration = TransportConfiguration()
    configuration.pingInterval = 20
    configuration.pongTimeout = 20
    configuration.closeTimeout = 20
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.upgrade()
    #expect(try client.readFrame() == serverFrame(.ping))
    let close = serverClose(.pongTimeout, "nothing came since the last ping")
    #expect(try client.readFrame() == close)
    // It does not answer the close frame either.
    try server.wait { $0.transport.connectionCount == 0 }
    #expect(try server.ask { $0.reasons } == [.closed(.pongTimeout)])
  }

  @Test("a peer is not considered dead while the application does not read")
  func forgivesPausedPeers() throws {
    var configuration = TransportConfiguration()
    configuration.pingInterval = 20
    configuration.pongTimeout = 20
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.upgrade(followedBy: clientText("pause"))
    for _ in 0..<3 { #expect(try client.readFrame() == serverFrame(.ping)) }
    #expect(try server.ask { $0.reasons.isEmpty })
  }

  @Test("a peer that does not answer our close frame is dropped")
  func dropsSilentPeers() throws {
    var configuration = TransportConfiguration()
    configuration.closeTimeout = 30
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    try client.upgrade()
    try client.write(clientText("close"))
    #expect(try client.readToEnd() == serverClose(.normalClosure, "as you wish"))
    try server.wait { $0.transport.connectionCount == 0 }
  }
}
