import TestSupport
import Testing
import HTTP

@Suite("RFC 6455 §8.1: text is UTF-8")
struct TextTests {
  private static let valid = Array("κόσμε".utf8)

  @Test("valid text is accepted, whole or split within its scalars")
  func validText() {
    let payload = Self.valid + Array("🎉".utf8)
    let fragments = payload.indices.flatMap {
      clientFrame($0 == 0 ? 1 : 0, [payload[$0]], final: $0 == payload.count - 1)
    }
    #expect(WebSocketPeer().events(clientFrame(1, payload)) == [.text(payload)])
    #expect(WebSocketPeer().events(fragments) == [.text(payload)])
  }

  @Test(
    "invalid text closes with 1007",
    arguments: [
      [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xCF, 0x83, 0xCE, 0xBC, 0xCE, 0xB5, 0xED, 0xA0, 0x80, 0x65],
      [0xCE], [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0xAF], [0xF8, 0x88, 0x80, 0x80, 0x80],
      [0xED, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xFF],
    ] as [[UInt8]])
  func invalid(payload: [UInt8]) {
    let output = WebSocketPeer().receive(clientFrame(1, payload))
    #expect(output.events == [.failed(.invalidText)])
    #expect(closeCode(output.bytes) == 1007)
  }

  @Test("invalid text is refused in its fragment, before the message ends")
  func failFastFragment() {
    let peer = WebSocketPeer()
    #expect(peer.events(clientFrame(1, Self.valid, final: false)) == [])
    #expect(
      peer.events(clientFrame(0, [0xF4, 0x90, 0x80, 0x80], final: false))
        == [.failed(.invalidText)])
  }

  @Test("invalid text is refused at its first invalid byte, in the middle of a frame")
  func failFastByte() {
    let peer = WebSocketPeer()
    let payload = Self.valid + [0xF4, 0x90, 0x80, 0x80] + Array("edited".utf8)
    let frame = clientFrame(1, payload)
    let wrong = 6 + Self.valid.count + 1
    #expect(peer.events(Array(frame[..<wrong])) == [])
    #expect(peer.events([frame[wrong]]) == [.failed(.invalidText)])
  }

  @Test("text that ends within a scalar closes with 1007")
  func cutScalar() {
    #expect(
      WebSocketPeer().events(clientFrame(1, [0x61, 0xF0, 0x9F], final: false) + clientFrame(0))
        == [.failed(.invalidText)])
  }

  @Test("binary messages may contain any bytes")
  func binary() {
    #expect(WebSocketPeer().events(clientFrame(2, [0xFF, 0xFE])) == [.binary([0xFF, 0xFE])])
  }
}
