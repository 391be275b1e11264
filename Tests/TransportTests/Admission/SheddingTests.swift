import HTTP
import Reactor
import Testing

@testable import Transport

@Suite("Closing the longest silent connection")
struct SheddingTests {
  private func transport(limit: Int, overdraft: Int = 0) throws -> DrivenTransport {
    var configuration = TransportConfiguration()
    let clients = SocketBudget(limit: limit, overdraft: overdraft, loops: 1)
    let operations = SocketBudget(limit: 1, overdraft: 0, loops: 1)
    configuration.sockets = SocketSharing(
      loop: 0, clients: clients, operations: operations, askToShed: { _, _ in })
    return try DrivenTransport(configuration)
  }

  @Test("the longest silent connection is closed to make room, and none with a session")
  func makesRoom() throws {
    let driven = try transport(limit: 3)
    var peers: [DrivenPeer] = []
    for _ in 0..<3 {
      #expect(driven.transport.makeRoom(in: .clients))
      peers.append(try driven.open())
    }
    peers[0].connection.sessionDidOpen()
    peers[1].deliver(clientText("x"))
    #expect(driven.transport.makeRoom(in: .clients))
    peers.append(try driven.open())
    #expect(driven.transport.connection(peers[2].connection.id) == nil)
    #expect(driven.transport.makeRoom(in: .clients))
    #expect(driven.transport.connection(peers[1].connection.id) == nil)
    peers[3].connection.sessionDidOpen()
    #expect(!driven.transport.makeRoom(in: .clients))
    #expect(driven.transport.counters.shed == 2)
    #expect(driven.transport.counters.turnedAway == 1)
  }

  @Test("a connection that waits for its response is skipped while others are silent")
  func prefersIdle() throws {
    let driven = try transport(limit: 2)
    driven.answersLater = true
    let waiting = try driven.connect()
    waiting.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let idle = try driven.connect()
    #expect(driven.transport.shed(in: .clients))
    #expect(driven.transport.connection(idle.connection.id) == nil)
    #expect(driven.transport.shed(in: .clients))
    #expect(driven.transport.connection(waiting.connection.id) == nil)
    #expect(!driven.transport.shed(in: .clients))
  }

  @Test("draining closes idle connections at once, and others after their response")
  func drains() throws {
    let driven = try transport(limit: 9)
    driven.answersLater = true
    let idle = try driven.connect()
    let waiting = try driven.connect()
    waiting.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    let partial = try driven.connect()
    partial.deliver(Array("GET / HTTP/1.1\r\n".utf8))
    driven.transport.drain()
    #expect(driven.transport.connection(idle.connection.id) == nil)
    #expect(driven.transport.connectionCount == 2)
    driven.answersLater = false
    waiting.connection.respond(driven.response)
    partial.deliver(Array("Host: a\r\n\r\n".utf8))
    driven.settle()
    for peer in [waiting, partial] {
      #expect(String(decoding: peer.readAll(), as: UTF8.self).contains("Connection: close\r\n"))
    }
    driven.transport.closeLingering()
    #expect(driven.transport.connectionCount == 0)
  }
}
