import HTTP
import Reactor
import Testing

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

  @Test("pipelined requests that arrive byte by byte are answered in order")
  func answersPipelinedRequests() throws {
    let driven = try DrivenTransport()
    let peer = try driven.connect()
    for byte in Array((get + get + get).utf8) { peer.deliver([byte]) }
    peer.deliver(Array((get + get).utf8))
    driven.settle()
    let expected = (0..<5).flatMap { _ in answer(driven, .keepAlive) }
    #expect(peer.readAll() == expected)
  }

  @Test("a request with Connection: close is answered and the connection closed")
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

  @Test("a client that expects 100 Continue before its body receives it")
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

  @Test("invalid input is refused with 400, and the connection closed")
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

  @Test("a client that closes its sending side still gets its response")
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

  @Test("a client that pipelines without reading is answered up to a limit, then disconnected")
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

  @Test("an upgrade request on a path without WebSocket gets the delegate's response")
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
