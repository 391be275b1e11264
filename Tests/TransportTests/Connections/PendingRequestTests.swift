import Glibc
import HTTP
import Reactor
import Testing

@testable import Transport

@Suite("Connection: delayed responses")
struct PendingRequestTests {
  private func get(_ path: String) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
  }

  private func answer(_ text: String, _ persistence: ConnectionPersistence = .keepAlive) -> [UInt8]
  {
    var bytes: [UInt8] = []
    HTTPResponse(status: .ok, text: text).serialize(into: &bytes, for: persistence)
    return bytes
  }

  private func deferring() throws -> (DrivenTransport, DrivenPeer) {
    let driven = try DrivenTransport()
    driven.answersLater = true
    return (driven, try driven.connect())
  }

  @Test("a request is answered when its response is ready, and the connection kept")
  func answersLater() throws {
    let (driven, peer) = try deferring()
    for path in ["/1", "/2"] {
      peer.deliver(get(path))
      driven.settle()
      #expect(peer.readAll().isEmpty)
      peer.connection.respond(HTTPResponse(status: .ok, text: path))
      driven.settle()
      #expect(peer.readAll() == answer(path))
    }
    #expect(driven.abandonmentCount == 0)
  }

  @Test("pipelined requests wait for the one before them")
  func keepsOrder() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/1") + get("/2") + get("/3").dropLast(3))
    peer.deliver(Array(get("/3").suffix(3)))
    #expect(driven.requests.map(\.head.path) == ["/1"])
    for path in ["/1", "/2", "/3"] {
      #expect(driven.requests.last?.head.path == path)
      peer.connection.respond(HTTPResponse(status: .ok, text: path))
    }
    driven.settle()
    #expect(peer.readAll() == answer("/1") + answer("/2") + answer("/3"))
  }

  @Test("input after a pending request is read up to a limit, and not lost")
  func boundsWhatWaits() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/first"))
    let flood = (0..<4_000).flatMap { _ in get("/flood") }
    var sent = flood[...]
    while !sent.isEmpty, peer.connection.interest.contains(.readable) {
      peer.deliver(Array(sent.prefix(16_384)))
      sent = sent.dropFirst(16_384)
    }
    #expect(!sent.isEmpty)
    driven.answersLater = false
    peer.connection.respond(driven.response)
    #expect(peer.connection.interest.contains(.readable))
    #expect(driven.requests.count > 1_000)
  }

  @Test("a peer that has closed its sending side is answered when the request can't be cancelled")
  func answersAfterHalfClose() throws {
    let (driven, peer) = try deferring()
    driven.callsOff = false
    peer.deliver(get("/1") + get("/2"))
    shutdown(peer.descriptor, Int32(SHUT_WR))
    peer.connection.descriptorIsReady(for: .readable)
    for path in ["/1", "/2"] {
      #expect(driven.requests.last?.head.path == path)
      peer.connection.respond(HTTPResponse(status: .ok, text: path))
    }
    driven.settle()
    #expect(peer.readAll() == answer("/1") + answer("/2", .close))
    #expect(peer.hasEnded)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("a peer that closes its sending side cancels its cancellable request")
  func abandonsAfterHalfClose() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/1"))
    shutdown(peer.descriptor, Int32(SHUT_WR))
    peer.connection.descriptorIsReady(for: .readable)
    #expect(driven.abandonmentCount == 1)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("HEAD is answered without a body, and Connection: close closes the connection")
  func keepsTheRequestsTerms() throws {
    let (driven, peer) = try deferring()
    peer.deliver(Array("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
    peer.connection.respond(driven.response)
    driven.settle()
    var expected: [UInt8] = []
    driven.response.serializeHead(into: &expected, for: .close)
    #expect(peer.readAll() == expected)
    #expect(peer.hasEnded)
  }

  @Test("the delegate is notified once when the peer ends the connection")
  func tellsOfAbandonment() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/"))
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    #expect(driven.abandonmentCount == 1)
    #expect(driven.transport.connectionCount == 0)
    peer.connection.respond(driven.response)
    peer.connection.end()
    #expect(driven.abandonmentCount == 1)
  }

  @Test("ending a connection from our side cancels its request too")
  func tellsOfEnding() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/"))
    peer.connection.end()
    #expect(driven.abandonmentCount == 1)
    peer.connection.respond(driven.response)
    driven.settle()
    #expect(peer.readAll().isEmpty)
  }

  @Test("a response without a pending request is not sent")
  func ignoresSurplusAnswers() throws {
    let (driven, peer) = try deferring()
    peer.connection.respond(driven.response)
    driven.settle()
    #expect(peer.readAll().isEmpty)
  }

  @Test("no time limit runs while a response is pending, and one does afterwards")
  func suspendsTheDeadline() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/"))
    #expect(peer.connection.timer == nil)
    peer.connection.respond(driven.response)
    #expect(peer.connection.timer != nil)
  }
}
