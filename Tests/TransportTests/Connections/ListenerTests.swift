import Reactor
import TestSupport
import Testing
import HTTP

@testable import Transport

@Suite("Listener", .onOwnThreads)
struct ListenerTests {
  @Test("connections have the tag of their listener, and are counted")
  func tagsConnections() throws {
    let server = try LoopServer()
    for _ in 0..<3 {
      let client = try BlockingClient(server.address)
      try client.write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
      _ = try client.readToEnd()
    }
    try server.wait { $0.transport.connectionCount == 0 }
    #expect(try server.ask { $0.tags } == [7, 7, 7])
    #expect(try server.ask { $0.transport.counters.accepted } == 3)
  }

  @Test("more connections than one turn accepts are all accepted")
  func acceptsCrowds() throws {
    let server = try LoopServer()
    let clients = try (0..<100).map { _ in try BlockingClient(server.address) }
    for client in clients { try client.upgrade() }
    #expect(try server.ask { $0.transport.connectionCount } == 100)
  }

  @Test("after listening has stopped, open connections stay and no new ones are accepted")
  func stops() throws {
    let server = try LoopServer()
    let client = try BlockingClient(server.address)
    try client.upgrade()
    _ = try server.ask { $0.transport.stopListening() }
    try client.write(clientText("still here"))
    #expect(try client.readFrame() == serverText("still here"))
    #expect(throws: (any Error).self) {
      let late = try BlockingClient(server.address)
      try late.upgrade()
    }
  }

  @Test("a timer that fires after the listener was closed reopens nothing")
  func staysClosed() throws {
    let driven = try DrivenTransport()
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 0))
    let listener = Listener(
      descriptor: try Socket.listen(on: address), security: .plain, tag: 0,
      transport: driven.transport)
    try listener.resume()
    let unrelated = driven.loop.schedule(after: 1000, listener)
    listener.close()
    listener.timerDidFire(unrelated)
  }

  @Test("a client that resets in the middle of a response affects no other client")
  func survivesResets() throws {
    let server = try LoopServer()
    let steady = try BlockingClient(server.address)
    try steady.upgrade()
    for _ in 0..<20 {
      let client = try BlockingClient(server.address)
      try client.upgrade()
      try client.write(clientFrame(.binary, [UInt8](repeating: 1, count: 60_000)))
    }
    try server.wait { $0.transport.connectionCount == 1 }
    try steady.write(clientText("well"))
    #expect(try steady.readFrame() == serverText("well"))
  }
}
