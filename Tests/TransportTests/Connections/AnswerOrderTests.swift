import Glibc
import HTTP
import Reactor
import TestSupport
import Testing

@testable import Transport

@Suite("RFC 6455 §7.1: answers and closing")
struct AnswerOrderTests {
  @Test(
    "a message is answered before the error or the close that arrived in the same segment",
    arguments: [[0x83, 0x80, 0, 0, 0, 0], [0x88, 0x80, 0, 0, 0, 0]] as [[UInt8]])
  func beforeTheEnd(end: [UInt8]) throws {
    let hello = Array("Hello".utf8)
    let answer = try exchange([0x81, 0x85, 0, 0, 0, 0] + hello + end)
    #expect(Array(answer.prefix(7)) == [0x81, 5] + hello)
    #expect(answer.dropFirst(7).first == 0x88)
  }

  @Test("the answers to a message and a ping are sent in the order of the requests")
  func pongs() throws {
    let answer = try exchange(
      [0x89, 0x80, 0, 0, 0, 0, 0x82, 0x81, 0, 0, 0, 0, 7, 0x89, 0x80, 0, 0, 0, 0]
        + [0x88, 0x80, 0, 0, 0, 0])
    #expect(answer == [0x8A, 0, 0x82, 1, 7, 0x8A, 0, 0x88, 0])
  }

  /// Sends frames in one segment after an upgrade, and returns all frames that come back.
  private func exchange(_ frames: [UInt8]) throws -> [UInt8] {
    let loop = try EventLoop()
    let echo = Echo(loop: loop)
    let transport = Transport(
      loop: loop, configuration: TransportConfiguration(), delegate: echo)
    loop.endOfTurn = { transport.flush() }
    let (ours, theirs) = try socketPair()
    defer { Socket.close(theirs) }
    try Connection.open(descriptor: ours, tls: nil, tag: 0, transport: transport)
    let sent = Array(Self.upgrade.utf8) + frames
    #expect(sent.withUnsafeBytes { Socket.send(theirs, $0) } == .transferred(sent.count))
    Socket.shutDownWriting(theirs)
    loop.run()
    return afterHead(try receiveAll(from: theirs))
  }

  private static let upgrade = """
    GET / HTTP/1.1\r
    Host: localhost\r
    Connection: Upgrade\r
    Upgrade: websocket\r
    Sec-WebSocket-Version: 13\r
    Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r
    \r\n
    """

  private func receiveAll(from descriptor: Int32) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 4096)
    var bytes: [UInt8] = []
    while case .transferred(let count) = buffer.withUnsafeMutableBytes({
      Socket.receive(descriptor, into: $0)
    }) {
      bytes += buffer[..<count]
    }
    return bytes
  }

  private func afterHead(_ bytes: [UInt8]) -> [UInt8] {
    let blank = Array("\r\n\r\n".utf8)
    let start = bytes.indices.first { bytes[$0...].starts(with: blank) }
    return start.map { Array(bytes[($0 + blank.count)...]) } ?? []
  }
}

/// Echoes every message, and stops the loop once the WebSocket is closed.
private final class Echo: TransportDelegate, WebSocketApplication {
  private let loop: EventLoop

  init(loop: EventLoop) {
    self.loop = loop
  }

  func answer(_ exchange: Exchange) -> RequestOutcome {
    do {
      return .upgrade(try ServerHandshake().accept(exchange.head), self)
    } catch {
      return .respond(error.response)
    }
  }

  func connection(_ connection: Connection, received message: WebSocketMessage) {
    connection.send(message)
  }

  func connectionDidClose(_ connection: Connection, _ reason: ClosingReason) {
    loop.stop()
  }

  func transportCannotAccept(_ error: SystemError) {}

  func connection(_ connection: Connection, brokeTLS reason: String) {}
}
