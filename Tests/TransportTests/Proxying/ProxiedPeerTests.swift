import Basics
import Glibc
import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Connections through proxies", .onOwnThreads)
struct ProxiedPeerTests {
  private let line = "PROXY TCP4 192.0.2.1 198.51.100.1 56324 443\r\n"
  private let request = "GET /who HTTP/1.1\r\nHost: h\r\n\r\n"

  private func range(_ host: String, _ length: Int) throws -> Network {
    try Network(parsing: "\(host)/\(length)")
  }

  private func server(
    from trusted: [Network] = [], forwarding: ForwardingRules? = nil,
    security: Listener.Security = .plain
  ) throws -> LoopServer {
    var configuration = TransportConfiguration()
    configuration.forwarding = forwarding
    return try LoopServer(
      configuration, security: security, proxyHeader: .required(from: trusted))
  }

  @Test("a PROXY header contains the client's address; the bytes after it are the request")
  func announced() throws {
    let server = try server()
    let client = try BlockingClient(server.address)
    try client.write(line + request)
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    #expect(try server.ask { $0.clients } == ["192.0.2.1:56324"])
  }

  @Test("a PROXY header that arrives byte by byte, and the request later, are understood")
  func slowly() throws {
    let server = try server()
    let client = try BlockingClient(server.address)
    for byte in line.utf8 { try client.write([byte]) }
    try client.upgrade()
    try client.write(clientText("hello"))
    #expect(try client.readFrame() == serverText("hello"))
    #expect(try server.ask { $0.clients } == ["192.0.2.1:56324"])
  }

  @Test("a connection that does not begin with a PROXY header is closed without a response")
  func missing() throws {
    let server = try server()
    let client = try BlockingClient(server.address)
    try client.write(request)
    #expect((try? client.readToEnd()) ?? [] == [])
    #expect(try server.ask { $0.strangers }.count == 1)
    #expect(try server.ask { $0.clients } == [])
  }

  @Test("with networks configured, a PROXY header from elsewhere is not even read")
  func stranger() throws {
    let server = try server(from: [range("10.0.0.0", 8)])
    let client = try BlockingClient(server.address)
    try? client.write(line + request)
    #expect((try? client.readToEnd()) ?? [] == [])
    #expect(try server.ask { $0.clients } == [])
  }

  @Test("a client with an incomplete PROXY header is closed at the time limit of a request")
  func late() throws {
    var configuration = TransportConfiguration()
    configuration.headTimeout = 50
    let server = try LoopServer(configuration, proxyHeader: .required(from: []))
    let client = try BlockingClient(server.address)
    try client.write("PROXY TCP4")
    #expect((try? client.readToEnd()) ?? [] == [])
  }

  @Test("a proxy that connects for itself keeps the address of its connection")
  func itself() throws {
    let server = try server(from: [range("127.0.0.0", 8)])
    let client = try BlockingClient(server.address)
    try client.write("PROXY UNKNOWN\r\n" + request)
    _ = try client.readHead()
    #expect(try server.ask { $0.clients }.first?.hasPrefix("127.0.0.1:") == true)
  }

  @Test("TLS begins after the PROXY header")
  func encrypted() throws {
    let certificate = try Certificate()
    let server = try server(security: certificate.security)
    let client = try BlockingClient(
      server.address, tls: certificate.client, announcedBy: Array(line.utf8))
    try client.write(request)
    #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
    #expect(try server.ask { $0.clients } == ["192.0.2.1:56324"])
  }

  @Test("each request of a proxy's connection has the client named in its own field")
  func forwarded() throws {
    var configuration = TransportConfiguration()
    configuration.forwarding = ForwardingRules(
      field: .xForwardedFor, trusted: [try range("127.0.0.1", 32)])
    let server = try LoopServer(configuration)
    let client = try BlockingClient(server.address)
    for field in ["X-Forwarded-For: 192.0.2.1\r\n", "X-Forwarded-For: 192.0.2.2\r\n", ""] {
      try client.write("GET /who HTTP/1.1\r\nHost: h\r\n\(field)\r\n")
      #expect(try client.readHead().hasPrefix("HTTP/1.1 200 "))
      _ = try client.read(4)
    }
    let clients = try server.ask { $0.clients }
    #expect(clients.prefix(2) == ["192.0.2.1", "192.0.2.2"])
    #expect(clients.last?.hasPrefix("127.0.0.1:") == true)
  }

  @Test("a field is trusted only from the client that the PROXY header names")
  func both() throws {
    let rules = ForwardingRules(field: .xForwardedFor, trusted: [try range("127.0.0.1", 32)])
    let server = try server(forwarding: rules)
    let client = try BlockingClient(server.address)
    try client.write(line + "GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n")
    _ = try client.readHead()
    #expect(try server.ask { $0.clients } == ["192.0.2.1:56324"])
  }

  @Test("without proxies the address is the peer's, and a field has no effect")
  func direct() throws {
    let server = try LoopServer()
    let client = try BlockingClient(server.address)
    try client.write("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 6.6.6.6\r\n\r\n")
    _ = try client.readHead()
    #expect(try server.ask { $0.clients }.first?.hasPrefix("127.0.0.1:") == true)
  }
}
