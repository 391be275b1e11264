import Glibc
import Reactor
import TestSupport
import Streams
import Testing
import HTTP

/// A client that waits for what it reads.
final class BlockingClient {
  private let descriptor: Int32
  private let tls: TLSSession?
  private let scratch: TLSScratch
  private var received: [UInt8] = []
  private var hasEnded = false

  /// - Parameter proxyHeader: What is sent before all else, without TLS.
  init(
    _ address: SocketAddress, tls context: TLSClientContext? = nil,
    announcedBy proxyHeader: [UInt8] = []
  ) throws {
    descriptor = try Socket.connect(to: address)
    scratch = try TLSScratch()
    tls = try context.map { try TLSSession(client: $0, hostname: "localhost") }
    try wait(for: POLLOUT)
    try writeRaw(proxyHeader)
    guard let tls else { return }
    try tls.startHandshake(scratch: scratch)
    try sendCiphertext()
    while !tls.isEstablished { try receive() }
  }

  deinit {
    Socket.close(descriptor)
  }

  func write(_ bytes: [UInt8]) throws {
    guard let tls else { return try writeRaw(bytes) }
    try bytes.withUnsafeBytes { try tls.send($0, scratch: scratch) }
    try sendCiphertext()
  }

  func write(_ text: String) throws {
    try write(Array(text.utf8))
  }

  /// Writes without TLS.
  func writeRaw(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      switch rest.withUnsafeBytes({ Socket.send(descriptor, $0) }) {
      case .transferred(let count): rest = rest.dropFirst(count)
      case .wouldBlock: try wait(for: POLLOUT)
      case .ended, .failed: throw Lost()
      }
    }
  }

  func endWriting() {
    Socket.shutDownWriting(descriptor)
  }

  /// Opens a WebSocket.
  ///
  /// - Parameter frames: What is sent with the request, without waiting for the answer.
  func upgrade(followedBy frames: [UInt8] = []) throws {
    try write(upgradeRequest + frames)
    let head = try readHead()
    try #require(head.hasPrefix("HTTP/1.1 101 "))
  }

  /// Reads a response's head.
  func readHead() throws -> String {
    let end = Array("\r\n\r\n".utf8)
    while received.firstRange(of: end) == nil { try receive() }
    let range = try #require(received.firstRange(of: end))
    defer { received.removeSubrange(..<range.upperBound) }
    return String(decoding: received[..<range.upperBound], as: UTF8.self)
  }

  func read(_ count: Int) throws -> [UInt8] {
    while received.count < count { try receive() }
    defer { received.removeFirst(count) }
    return Array(received[..<count])
  }

  /// Reads the frames that a server sends, each shorter than 126 bytes.
  func readFrame() throws -> [UInt8] {
    let header = try read(2)
    return header + (try read(Int(header[1])))
  }

  /// Reads until the server's side ends.
  func readToEnd() throws -> [UInt8] {
    while !hasEnded { try receive() }
    defer { received = [] }
    return received
  }

  /// Whether the server says goodbye in TLS, and ends then.
  func seesGoodbye() throws -> Bool {
    while !hasEnded { try receive() }
    return saidGoodbye
  }

  private var saidGoodbye = false

  private func receive() throws {
    guard !hasEnded else { throw Lost() }
    try wait(for: POLLIN)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    switch buffer.withUnsafeMutableBytes({ Socket.receive(descriptor, into: $0) }) {
    case .transferred(let count): try take(buffer[..<count])
    case .ended: hasEnded = true
    case .wouldBlock: break
    case .failed: throw Lost()
    }
  }

  private func take(_ bytes: ArraySlice<UInt8>) throws {
    guard let tls else {
      received += bytes
      return
    }
    let progress = try bytes.withUnsafeBytes {
      try tls.receive($0, plaintext: &received, scratch: scratch)
    }
    if progress == .closedByPeer { saidGoodbye = true }
    try sendCiphertext()
  }

  private func sendCiphertext() throws {
    let bytes = [UInt8](scratch.outgoing)
    scratch.removeOutgoing()
    try writeRaw(bytes)
  }

  private func wait(for event: Int32) throws {
    try Deadline.standard.wait(for: "the server", on: descriptor, event)
  }

  /// The server has broken the connection off.
  struct Lost: Error {}
}
