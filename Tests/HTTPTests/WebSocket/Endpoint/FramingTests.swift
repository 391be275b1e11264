import TestSupport
import Testing
import HTTP

@Suite("RFC 6455 §5: framing and fragmentation")
struct FramingTests {
  @Test("the examples of §5.7 are read")
  func examples() {
    #expect(WebSocketPeer.client().events([0x81, 0x05] + Array("Hello".utf8)) == [.text("Hello")])
    #expect(
      WebSocketPeer().events(
        [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58]) == [.text("Hello")])
    #expect(
      WebSocketPeer.client().events([0x01, 0x03, 0x48, 0x65, 0x6C, 0x80, 0x02, 0x6C, 0x6F])
        == [.text("Hello")])
    let long = [UInt8](repeating: 7, count: 65536)
    #expect(
      WebSocketPeer.client().events([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0] + long)
        == [.binary(long)])
  }

  @Test("an unmasked frame of a client closes with 1002")
  func unmasked() {
    let output = WebSocketPeer().receive(serverFrame(0x81, [0x61]))
    #expect(output.events == [.failed(.unmaskedFrame)])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("a masked frame of a server is refused")
  func masked() {
    #expect(WebSocketPeer.client().events(clientFrame(1, "a")) == [.failed(.maskedFrame)])
  }

  @Test("a reserved bit without an extension closes with 1002", arguments: UInt8(1)...7)
  func reservedBits(bits: UInt8) {
    let output = WebSocketPeer().receive(clientFrame(1, [0x61], reserved: bits))
    #expect(output.events == [.failed(.reservedBit)])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("a reserved opcode closes with 1002", arguments: [3, 4, 5, 6, 7, 11, 12, 13, 14, 15])
  func reservedOpcodes(opcode: UInt8) {
    let output = WebSocketPeer().receive(clientFrame(1, "a") + clientFrame(opcode) + clientFrame(9))
    #expect(
      output.events == [.text("a"), .failed(.reservedOpcode(Opcode(rawValue: opcode)))])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("control frames may be sent between the fragments of a message")
  func interleaved() {
    let output = WebSocketPeer().receive(
      clientFrame(1, "fragment1", final: false) + clientFrame(9, "p")
        + clientFrame(0, "fragment2"))
    #expect(output.events == [.ping([0x70]), .text("fragment1fragment2")])
    #expect(output.bytes == serverFrame(0x8A, [0x70]))
  }

  @Test("a continuation without a first fragment closes with 1002")
  func loneContinuation() {
    let output = WebSocketPeer().receive(clientFrame(0, "a", final: false))
    #expect(output.events == [.failed(.unexpectedContinuation)])
    #expect(closeCode(output.bytes) == 1002)
    #expect(
      WebSocketPeer().events(clientFrame(1, "a") + clientFrame(0, "b"))
        == [.text("a"), .failed(.unexpectedContinuation)])
  }

  @Test("a new message within another closes with 1002")
  func missingContinuation() {
    let output = WebSocketPeer().receive(
      clientFrame(1, "a", final: false) + clientFrame(1, "b"))
    #expect(output.events == [.failed(.missingContinuation)])
    #expect(closeCode(output.bytes) == 1002)
  }

  @Test("a fragmented control frame closes with 1002", arguments: [8, 9, 10] as [UInt8])
  func fragmentedControl(opcode: UInt8) {
    let output = WebSocketPeer().receive(clientFrame(opcode, "a", final: false))
    #expect(output.events == [.failed(.fragmentedControlFrame)])
  }

  @Test("empty frames and fragments form empty messages")
  func empty() {
    let fragments =
      clientFrame(1, [], final: false) + clientFrame(0, [], final: false) + clientFrame(0)
    #expect(
      WebSocketPeer().events(clientFrame(1) + clientFrame(2) + fragments)
        == [.text([]), .binary([]), .text([])])
  }

  @Test(
    "messages of any length arrive whole", arguments: [125, 126, 127, 128, 65535, 65536, 100_000])
  func lengths(length: Int) {
    var generator = SeededGenerator(seed: UInt64(length))
    let payload = generator.bytes(length)
    let stream = clientFrame(2, payload) + clientFrame(1, "end")
    let peer = WebSocketPeer()
    let events = generator.pieces(of: stream).flatMap(peer.events)
    #expect(events == [.binary(payload), .text("end")])
  }

  @Test("after a failure nothing more is read or sent")
  func afterFailure() {
    let peer = WebSocketPeer()
    _ = peer.receive(clientFrame(3))
    #expect(peer.state == .failed)
    let output = peer.receive(clientFrame(1, "a"))
    #expect(output.events.isEmpty && output.bytes.isEmpty)
    #expect(peer.send("a").isEmpty && peer.ping([]).isEmpty && peer.close(nil).isEmpty)
  }
}
