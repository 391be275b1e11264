import Streams
import TestSupport
import Testing

@Suite("Peers that do not speak TLS, or speak it incorrectly", .onOwnThreads)
struct HostilePeerTests {
  private let context: TLSServerContext
  private let scratch: TLSScratch

  init() throws {
    context = try Workspace().makeServerContext()
    scratch = try TLSScratch()
  }

  private func failure(for bytes: [UInt8]) throws -> TLSError? {
    let session = try TLSSession(server: context)
    var plaintext: [UInt8] = []
    do {
      _ = try session.receive(bytes, plaintext: &plaintext, scratch: scratch)
      return nil
    } catch {
      #expect(plaintext.isEmpty)
      return error
    }
  }

  @Test("plain HTTP is reported as such", arguments: ["GET /v1/ws", "POST /v3", "CONNECT a:1"])
  func plainHTTP(line: String) throws {
    let error = try failure(for: Array("\(line) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
    #expect(error == .plainHTTP)
    #expect(error?.description == "the peer sent plain HTTP to a TLS port")
  }

  @Test("TLS 1.1 is refused with a protocol_version alert")
  func oldVersion() throws {
    let error = try failure(for: clientHello(version: 0x0302))
    #expect(error == .protocolViolation(reason: "unsupported protocol"))
    let alert = scratch.take()
    #expect(alert.first == 21, "an alert record")
    #expect(alert.suffix(2) == [2, 70], "fatal, protocol_version")
  }

  @Test("random bytes never establish a session and never trap")
  func garbage() throws {
    var generator = SeededGenerator(seed: 20_261_121)
    for _ in 0..<2000 {
      var bytes = (0..<Int.random(in: 0...600, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      if Bool.random(using: &generator) { bytes = [22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3] + bytes }
      let error = try failure(for: bytes)
      if case .internalFailure(let reason) = error { Issue.record("blamed on us: \(reason)") }
      scratch.removeOutgoing()
    }
  }

  @Test("a hello with any bit flipped is refused or answered, and never traps")
  func flipped() throws {
    let hello = clientHello(version: 0x0303)
    for bit in 0..<(hello.count * 8) {
      var bytes = hello
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if case .internalFailure(let reason) = try failure(for: bytes) {
        Issue.record("bit \(bit) blamed on us: \(reason)")
      }
      scratch.removeOutgoing()
    }
  }

  /// A minimal ClientHello of the old shape, with one suite that the server knows.
  private func clientHello(version: UInt16) -> [UInt8] {
    let code = [UInt8(version >> 8), UInt8(version & 0xFF)]
    let body = code + [UInt8](repeating: 7, count: 32) + [0, 0, 2, 0xC0, 0x2B, 1, 0]
    let message = [1, 0, 0, UInt8(body.count)] + body
    return [22, 3, 1, 0, UInt8(message.count)] + message
  }
}
