import Glibc
import Reactor
import TestSupport
import Testing
import HTTP

/// A client of a gateway that runs, which waits for what it reads.
final class GatewayClient {
  private let descriptor: Int32
  private var endpoint = WebSocketEndpoint(role: .client(maskingKey: { 1 }))
  private let deflate = DeflateWorkspace()
  private var received: [UInt8] = []
  private var events: [WebSocketEvent] = []

  init(port: UInt16) throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: port))
    descriptor = try Socket.connect(to: address)
    try wait(for: POLLOUT)
  }

  deinit {
    Socket.close(descriptor)
  }

  func write(_ text: String) throws {
    try write(Array(text.utf8))
  }

  /// Reads until a text has come.
  func readUntil(_ end: String) throws -> String {
    while true {
      let text = String(decoding: received, as: UTF8.self)
      if text.contains(end) { return text }
      received += try receive()
    }
  }

  func upgrade() throws {
    try write(
      "GET /v1/ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
    try #require(try readUntil("\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
    received = []
  }

  func send(_ text: String) throws {
    var bytes: [UInt8] = []
    let payload = Array(text.utf8)
    endpoint.send(payload.span, opcode: .text, using: deflate, into: &bytes)
    try write(bytes)
  }

  /// The next text message.
  func nextText() throws -> String {
    while true {
      if case .text(let bytes) = try nextEvent() { return String(decoding: bytes, as: UTF8.self) }
    }
  }

  /// The code of the server's close frame.
  func nextClose() throws -> CloseCode? {
    while true {
      if case .closed(let code, _) = try nextEvent() { return code }
    }
  }

  private func nextEvent() throws -> WebSocketEvent {
    while events.isEmpty {
      let bytes = try receive()
      var output = WebSocketOutput()
      endpoint.receive(bytes.span, using: deflate, into: &output)
      events += output.events
      // The server may be gone by the time of our answer to its close frame.
      try? write(output.bytes)
    }
    return events.removeFirst()
  }

  private func receive() throws -> [UInt8] {
    try wait(for: POLLIN)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    switch buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
    case .transferred(let count): return Array(buffer[..<count])
    case .wouldBlock: return []
    case .ended, .failed: throw Lost()
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    let outcome = bytes.withUnsafeBytes { Socket.send(descriptor, $0) }
    guard outcome == .transferred(bytes.count) else { throw Lost() }
  }

  private func wait(for event: Int32) throws {
    try Deadline.standard.wait(for: "the gateway", on: descriptor, event)
  }

  /// The server has broken the connection off.
  struct Lost: Error {}
}
