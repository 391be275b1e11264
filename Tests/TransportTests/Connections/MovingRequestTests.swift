import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("Requests that move to another event loop")
struct MovingRequestTests {
  private let kernel = ScriptedKernel()
  private let first: DrivenTransport
  private let second: DrivenTransport
  private let peer: DrivenPeer

  init() throws {
    first = try kernel.run { try DrivenTransport() }
    second = try kernel.run { try DrivenTransport() }
    first.answersLater = true
    peer = try first.connect()
    kernel.adopt(peer.connection.descriptor)
    kernel.run {
      let requests = ["/a", "/b"].map { "GET \($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
      peer.deliver(Array(requests.joined().utf8))
    }
  }

  private func move() throws -> MovingRequest {
    let id = try #require(first.exchanges.last)
    return try kernel.run { try #require(first.transport.remove(id)) }
  }

  private func arrive(
    _ moving: MovingRequest, _ abandoned: @escaping () -> Void = {}
  ) throws
    -> Exchange
  {
    try kernel.run {
      let exchange = try #require(
        second.transport.insert(moving, onAbandonment: { _ in abandoned() }))
      peer.connection = exchange.connection
      return exchange
    }
  }

  private func answer(_ exchange: Exchange, _ text: String) -> String {
    kernel.run {
      second.transport.respond(HTTPResponse(status: .ok, text: text), to: exchange.id)
      return String(decoding: peer.drain(second), as: UTF8.self)
    }
  }

  @Test("the other loop answers, and then the requests that came after it")
  func moves() throws {
    let moving = try move()
    #expect(first.transport.connectionCount == 0)
    #expect(first.abandonmentCount == 0)
    #expect(moving.request.head.target == "/a")
    let exchange = try arrive(moving)
    #expect(second.transport.connectionCount == 1)
    second.response = HTTPResponse(status: .ok, text: "next")
    let text = answer(exchange, "moved")
    #expect(text.matches(of: /200 OK\r\n/).count == 2)
    #expect(text.contains("moved"))
    #expect(text.hasSuffix("next"))
    #expect(second.requests.map(\.head.target) == ["/b"])
    #expect(kernel.openSockets.count == 1)
  }

  @Test("the request is abandoned on the other loop when its client is gone")
  func abandons() throws {
    var count = 0
    let exchange = try arrive(try move()) { count += 1 }
    kernel.run {
      peer.close()
      exchange.connection.descriptorIsReady(for: .readable)
    }
    #expect(count == 1)
    #expect(first.abandonmentCount == 0)
    #expect(kernel.openSockets.isEmpty)
  }

  @Test("a request that is answered, or whose client is gone, does not move")
  func staysAnswered() throws {
    let id = try #require(first.exchanges.last)
    kernel.run { first.transport.respond(HTTPResponse(status: .ok), to: id) }
    #expect(first.transport.remove(id) == nil)
    #expect(first.transport.connectionCount == 1)
  }

  @Test("the socket is closed when the other loop cannot watch it, or does not take it")
  func fails() throws {
    let moving = try move()
    kernel.play { $0.kind == .epollAdd ? .fail(12) : .pass }
    kernel.run { #expect(second.transport.insert(moving, onAbandonment: { _ in }) == nil) }
    #expect(second.transport.connectionCount == 0)
    #expect(kernel.openSockets.isEmpty)
  }

  @Test("a request that arrives nowhere closes its socket")
  func isLost() throws {
    try kernel.run {
      let id = try #require(first.exchanges.last)
      #expect(first.transport.remove(id) != nil)
    }
    #expect(kernel.openSockets.isEmpty)
  }
}
