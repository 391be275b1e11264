import HTTP1
import Reactor
import Testing
import WebSocket

@testable import Transport

@Suite("Connection: HTTP")
struct ConnectionHTTPTests {
  private let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

  private func answer(_ driven: DrivenTransport, _ persistence: ConnectionPersistence) -> [UInt8] {
    var bytes: [UInt8] = []
    driven.response.serialize(into: &bytes, for: persistence)
    return bytes
  }

  @Test("a connection is kept for the next request")
  func keepsAlive() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    for _ in 0..<3 {
      peer.deliver(Array(get.utf8))
      driven.settle()
      #expect(peer.readAll() == answer(driven, .keepAlive))
    }
    #expect(!peer.hasEnded)
  }

  @Test("pipelined requests are answered in order, though they arrive byte by byte")
  func answersPipelinedRequests() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    for byte in Array((get + get + get).utf8) { peer.deliver([byte]) }
    peer.deliver(Array((get + get).utf8))
    driven.settle()
    let expected = (0..<5).flatMap { _ in answer(driven, .keepAlive) }
    #expect(peer.readAll() == expected)
  }

  @Test("a request that asks for it is answered and the connection ended")
  func closesOnRequest() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    peer.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n\(get)".utf8))
    driven.settle()
    #expect(peer.readAll() == answer(driven, .close))
    #expect(peer.hasEnded)
    peer.close()
    peer.connection.descriptorIsReady(for: .readable)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("HEAD is answered without a body")
  func answersHead() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    peer.deliver(Array("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    driven.settle()
    var expected: [UInt8] = []
    driven.response.serializeHead(into: &expected, for: .keepAlive)
    #expect(peer.readAll() == expected)
  }

  @Test("a client that waits to be told to send its body is told")
  func continues() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    peer.deliver(Array(head.utf8))
    driven.settle()
    #expect(peer.readAll() == HTTPResponse.continueBytes)
    peer.deliver(Array("{}".utf8))
    driven.settle()
    #expect(peer.readAll() == answer(driven, .keepAlive))
  }

  @Test("garbage is refused with 400, and the connection ended")
  func refusesGarbage() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    peer.deliver(Array("\u{16}\u{3}\u{1} this is no HTTP\r\n\r\n".utf8))
    driven.settle()
    let text = String(decoding: peer.readAll(), as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 400 "))
    #expect(text.lowercased().contains("connection: close"))
    #expect(peer.hasEnded)
  }

  @Test("a head beyond the limit is refused with 431")
  func refusesLongHeads() throws {
    var configuration = TransportConfiguration()
    configuration.http.headBytes = 200
    let driven = try DrivenTransport(configuration)
    let peer = try driven.connect()
    peer.deliver(Array("GET / HTTP/1.1\r\nHost: a\r\n".utf8))
    peer.deliver(Array("X: \(String(repeating: "x", count: 200))\r\n\r\n".utf8))
    driven.settle()
    #expect(String(decoding: peer.readAll(), as: UTF8.self).hasPrefix("HTTP/1.1 431 "))
  }

  @Test("a client that ends its side still gets the answer to its request")
  func answersAfterHalfClose() throws {
    let driven = try DrivenTransport()
    driven.response = HTTPResponse(status: .ok, text: String(repeating: "x", count: 50_000))
    let peer = try driven.connect()
    peer.shrinkBuffer()
    peer.deliver(Array(get.utf8))
    Socket.shutDownWriting(peer.descriptor)
    peer.connection.descriptorIsReady(for: .readable)
    #expect(peer.drain(driven) == answer(driven, .keepAlive))
    driven.settle()
    _ = peer.readAll()
    #expect(peer.hasEnded)
    #expect(driven.transport.connectionCount == 0)
  }

  @Test("who pipelines more than it reads is answered up to a bound, then not kept")
  func boundsPipelining() throws {
    var configuration = TransportConfiguration()
    configuration.outboundBytes = 100_000
    let driven = try DrivenTransport(configuration)
    driven.response = HTTPResponse(status: .ok, text: String(repeating: "x", count: 10_000))
    let peer = try driven.connect()
    peer.deliver(Array(String(repeating: get, count: 1000).utf8))
    let isBounded = peer.connection.queuedByteCount < 100_000
    #expect(isBounded)
    let text = String(decoding: peer.drain(driven), as: UTF8.self)
    let answers = text.split(separator: "HTTP/1.1 200 ").count
    #expect((5...7).contains(answers))
    let isLast = text.lowercased().contains("connection: close")
    #expect(isLast)
  }

  @Test("a request for what is no WebSocket is refused by the delegate's response")
  func refusesUpgrades() throws {
    let driven = try DrivenTransport()
    driven.response = HTTPResponse(status: .upgradeRequired, text: "no")
    let peer = try driven.connect()
    peer.deliver(Array("GET /chat HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n".utf8))
    driven.settle()
    #expect(peer.readAll() == answer(driven, .keepAlive))
    #expect(!peer.connection.isOpen)
  }
}
