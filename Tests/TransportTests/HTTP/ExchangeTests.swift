import Glibc
import HTTP
import Reactor
import Testing

@testable import Transport

@Suite("Exchange")
struct ExchangeTests {
  private func get(_ path: String) -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
  }

  private func deferring() throws -> (DrivenTransport, DrivenPeer) {
    let driven = try DrivenTransport()
    driven.answersLater = true
    return (driven, try driven.connect())
  }

  @Test("a response reaches its own request, once, however many are on the connection")
  func answersOnce() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/1") + get("/2"))
    let first = try #require(driven.exchanges.first)
    #expect(driven.transport.isAwaited(first))
    driven.transport.respond(HTTPResponse(status: .ok, text: "one"), to: first)
    let second = try #require(driven.exchanges.last)
    #expect(first != second)
    #expect(!driven.transport.isAwaited(first))
    #expect(driven.transport.isAwaited(second))
    driven.transport.respond(HTTPResponse(status: .ok, text: "again"), to: first)
    driven.settle()
    let early = String(decoding: peer.readAll(), as: UTF8.self)
    #expect(early.hasSuffix("one"))
    driven.transport.respond(HTTPResponse(status: .ok, text: "two"), to: second)
    driven.settle()
    #expect(String(decoding: peer.readAll(), as: UTF8.self).hasSuffix("two"))
  }

  @Test("no response is awaited when the connection is gone, and none reaches a successor")
  func connectionGone() throws {
    let (driven, peer) = try deferring()
    peer.deliver(get("/1"))
    let id = try #require(driven.exchanges.first)
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    #expect(!driven.transport.isAwaited(id))
    let next = try driven.connect()
    next.deliver(get("/2"))
    driven.transport.respond(driven.response, to: id)
    driven.settle()
    #expect(next.readAll().isEmpty)
  }

  @Test("a request that is answered at once awaits nothing more")
  func answeredAtOnce() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    peer.deliver(get("/"))
    let id = try #require(driven.exchanges.first)
    #expect(!driven.transport.isAwaited(id))
    driven.transport.respond(driven.response, to: id)
    driven.settle()
    let answers = String(decoding: peer.readAll(), as: UTF8.self)
    #expect(answers.components(of: "HTTP/1.1 200") == 1)
  }
}

extension String {
  fileprivate func components(of text: String) -> Int { ranges(of: text).count }
}
