import Glibc
import Reactor
@testable import Streams
import TestPeers
import TestSupport
import Testing

@Suite("Socket stream", .onOwnThreads)
struct SocketStreamTests {
  /// Two streams that are connected with one another, on a scripted kernel.
  private final class Pair {
    let kernel = ScriptedKernel()
    let loop: EventLoop
    let resources = StreamResources()
    var near: SocketStream
    var far: SocketStream
    private let handler = Handler()

    init(near nearTLS: TLSSession? = nil, far farTLS: TLSSession? = nil) throws {
      let (ours, theirs) = try socketPair()
      loop = try EventLoop()
      near = SocketStream(ours, tls: nearTLS)
      far = SocketStream(theirs, tls: farTLS)
      kernel.adopt(ours)
      try near.watch(for: .readable, on: loop, handler: handler)
    }

    deinit {
      near.close(on: loop)
      far.close(on: loop)
    }

    /// Flushes the near stream, and returns the bytes that departed.
    func flush() -> (outcome: SocketStream.FlushOutcome, writes: Int, departed: [UInt8]) {
      var (writes, departed) = (SocketStream.Writes(), [UInt8]())
      let outcome = kernel.run {
        near.flush(&writes, using: resources) { departed += $0[..<$1] }
      }
      return (outcome, writes.count, departed)
    }

    /// Reads what has come to one of the streams, decrypted.
    func read(_ stream: inout SocketStream) throws -> [UInt8] {
      var bytes: [UInt8] = []
      while case .transferred(let count) = stream.receive(into: resources.readBuffer) {
        let piece = UnsafeRawBufferPointer(rebasing: resources.readBuffer[..<count])
        guard var decryption = stream.decrypt(piece, using: resources) else {
          bytes += piece
          continue
        }
        bytes += decryption.plaintext
        resources.recycle(&decryption.plaintext)
        _ = try decryption.result.get()
      }
      return bytes
    }

    /// Carries bytes to and fro until nothing is under way; returns what came to the far stream.
    func exchange() throws -> [UInt8] {
      var received: [UInt8] = []
      var writes = SocketStream.Writes()
      repeat {
        writes.count = 0
        _ = near.flush(&writes, using: resources) { _, _ in }
        received += try read(&far)
        _ = far.flush(&writes, using: resources) { _, _ in }
        _ = try read(&near)
      } while writes.count > 0
      return received
    }

    func append(_ bytes: [UInt8]) { bytes.withUnsafeBytes { near.append($0) } }
  }

  private final class Handler: ReadinessHandler {
    func descriptorIsReady(for readiness: Readiness) {}
  }

  @Test("short writes continue until all is written, and sent bytes are reported in order")
  func writesOn() throws {
    let pair = try Pair()
    pair.kernel.play { _ in .atMost(3) }
    let bytes = [UInt8](0..<10)
    pair.append(bytes)
    #expect(pair.near.queuedByteCount == 10)
    let (outcome, writes, departed) = pair.flush()
    #expect(outcome == .flushed)
    #expect(writes == 4)
    #expect(departed == bytes)
    #expect(pair.near.isDrained == true)
    #expect(try pair.read(&pair.far) == bytes)
  }

  @Test("bytes that a full socket does not accept are kept, and sent first the next time")
  func keepsTheRest() throws {
    let pair = try Pair()
    pair.kernel.play { $0.number == 0 ? .atMost(4) : .fail(EAGAIN) }
    pair.append([1, 2, 3, 4, 5, 6])
    #expect(pair.flush().outcome == .blocked)
    #expect(pair.near.queuedByteCount == 2)
    pair.append([7])
    pair.kernel.play { _ in .pass }
    #expect(pair.flush().departed == [5, 6, 7])
    #expect(try pair.read(&pair.far) == [1, 2, 3, 4, 5, 6, 7])
  }

  @Test("a broken socket is reported with its error", arguments: [ECONNRESET, EPIPE, ENOBUFS])
  func reportsFailures(_ code: Int32) throws {
    let pair = try Pair()
    pair.kernel.play { $0.kind == .send ? .fail(code) : .pass }
    pair.append([1])
    #expect(pair.flush().outcome == .failed(code))
  }

  @Test("a flush is scheduled once per turn")
  func isListedOnce() throws {
    let pair = try Pair()
    var isFirst = pair.near.scheduleFlush()
    #expect(isFirst)
    isFirst = pair.near.scheduleFlush()
    #expect(!isFirst)
    _ = pair.flush()
    isFirst = pair.near.scheduleFlush()
    #expect(isFirst)
  }

  @Test("an interest that can't be changed stays as it was, and can be changed later")
  func keepsItsInterest() throws {
    let pair = try Pair()
    pair.kernel.play { $0.kind == .epollModify && $0.number == 0 ? .fail(ENOMEM) : .pass }
    try pair.kernel.run {
      #expect(throws: SystemError(call: "epoll_ctl", code: ENOMEM)) {
        try pair.near.setInterest(.writable, on: pair.loop)
      }
      #expect(pair.near.interest == .readable)
      try pair.near.setInterest(.writable, on: pair.loop)
      #expect(pair.near.interest == .writable)
    }
  }

  @Test("closing closes the socket once, and drops queued bytes")
  func closes() throws {
    let pair = try Pair()
    pair.append([1, 2])
    pair.kernel.run {
      pair.near.close(on: pair.loop)
      pair.near.close(on: pair.loop)
    }
    #expect(pair.kernel.openSockets.isEmpty)
    #expect(pair.kernel.count(of: .close) == 1)
    #expect(pair.near.descriptor == -1)
    #expect(pair.near.isDrained == true)
    #expect(pair.flush().outcome == .flushed)
  }

  @Test("queued bytes can be cut to a prefix")
  func keepsTheFirst() throws {
    let pair = try Pair()
    pair.append([1, 2, 3, 4])
    pair.near.keepFirst(2)
    #expect(pair.flush().departed == [1, 2])
  }

  /// A pair that speaks TLS, before its handshake.
  private func encryptedPair() throws -> Pair {
    let directory = try TemporaryDirectory()
    let (certificate, key) = (directory.path(of: "cert.pem"), directory.path(of: "key.pem"))
    try SelfSignedCertificate.write(certificate: certificate, key: key)
    let server = try TLSServerContext(certificatePath: certificate, privateKeyPath: key)
    let client = try TLSClientContext(trust: TLSTrust(authorityPaths: [certificate]))
    return try Pair(
      near: try TLSSession(client: client, hostname: "localhost"), far: TLSSession(server: server))
  }

  @Test("bytes appended before the handshake wait for it, and arrive complete, in steps")
  func encrypts() throws {
    let pair = try encryptedPair()
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    pair.append(bytes)
    #expect(pair.near.isEstablished == false)
    #expect(pair.flush().outcome == .flushed)
    #expect(pair.near.plainByteCount == 200_000)
    try pair.near.startHandshake(using: pair.resources)
    #expect(try pair.exchange() == bytes)
    #expect(pair.near.isEstablished == true)
    #expect(pair.near.isDrained == true)
  }

  @Test("TLS sends close_notify before the end of the socket's side")
  func endsWithGoodbye() throws {
    let pair = try encryptedPair()
    try pair.near.startHandshake(using: pair.resources)
    _ = try pair.exchange()
    var isEnded = pair.near.endWriting(using: pair.resources)
    #expect(!isEnded)
    var writes = SocketStream.Writes()
    _ = pair.near.flush(&writes, using: pair.resources) { _, _ in }
    isEnded = pair.near.endWriting(using: pair.resources)
    #expect(isEnded)
    let buffer = pair.resources.readBuffer
    guard case .transferred(let count) = pair.far.receive(into: buffer) else {
      Issue.record("no goodbye")
      return
    }
    let goodbye = UnsafeRawBufferPointer(rebasing: buffer[..<count])
    let decryption = pair.far.decrypt(goodbye, using: pair.resources)
    #expect(try decryption?.result.get() == .closedByPeer)
    #expect(pair.far.receive(into: buffer) == .ended)
  }

  @Test("bytes that are not TLS break the stream, and the alert is queued for the peer")
  func breaks() throws {
    let pair = try encryptedPair()
    let junk = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    let decryption = try #require(
      junk.withUnsafeBytes { pair.far.decrypt($0, using: pair.resources) })
    #expect(throws: TLSError.self) { try decryption.result.get() }
    #expect(decryption.plaintext.isEmpty)
    #expect(decryption.hasReply == (pair.far.queuedByteCount > 0))
  }
}
