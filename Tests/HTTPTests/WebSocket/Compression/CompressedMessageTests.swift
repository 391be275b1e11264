import Testing

@testable import HTTP

@Suite("RFC 7692: compressed messages")
struct CompressedMessageTests {
  private static let kept = PermessageDeflate.Agreement()
  private static let notKept = PermessageDeflate.Agreement(
    serverNoContextTakeover: true, clientNoContextTakeover: true)
  private static let hello: [UInt8] = [0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]

  @Test(
    "the examples of §7.2.3 are read",
    arguments: [
      [0xC1, 0x07, 0xF2, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00],
      [0x41, 0x03, 0xF2, 0x48, 0xCD, 0x80, 0x04, 0xC9, 0xC9, 0x07, 0x00],
      [0xC1, 0x0B, 0x00, 0x05, 0x00, 0xFA, 0xFF, 0x48, 0x65, 0x6C, 0x6C, 0x6F, 0x00],
      [0xC1, 0x08, 0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00, 0x00],
      [0xC1, 0x0D, 0xF2, 0x48, 0x05, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xCA, 0xC9, 0xC9, 0x07, 0x00],
    ] as [[UInt8]])
  func examples(frames: [UInt8]) {
    for agreement in [Self.kept, Self.notKept] {
      let client = WebSocketPeer.client(compression: agreement)
      #expect(client.events(frames + frames) == [.text("Hello"), .text("Hello")])
    }
  }

  @Test("a context refers back to earlier messages (§7.2.3.2)")
  func context() {
    let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    let stream = serverFrame(0xC1, Self.hello) + serverFrame(0xC1, second)
    #expect(
      WebSocketPeer.client(compression: Self.kept).events(stream) == [
        .text("Hello"), .text("Hello"),
      ])
    #expect(
      WebSocketPeer.client(compression: Self.notKept).events(stream)
        == [.text("Hello"), .failed(.invalidCompression)])
  }

  @Test("a context survives a block marked as the last")
  func finalBlock() {
    let final: [UInt8] = [0xF3, 0x48, 0xCD, 0xC9, 0xC9, 0x07, 0x00]
    let second: [UInt8] = [0xF2, 0x00, 0x11, 0x00, 0x00]
    for first in [final, final + [0x00]] {
      let stream = serverFrame(0xC1, first) + serverFrame(0xC1, second)
      #expect(
        WebSocketPeer.client(compression: Self.kept).events(stream)
          == [.text("Hello"), .text("Hello")])
    }
  }

  @Test("a server with a context sends the examples of §7.2.3.2")
  func sentContext() {
    let server = WebSocketPeer(
      limits: WebSocketLimits(compressedMessageBytes: 0), compression: Self.kept)
    #expect(server.send("Hello") == serverFrame(0xC1, Self.hello))
    #expect(server.send("Hello") == serverFrame(0xC1, [0xF2, 0x00, 0x11, 0x00, 0x00]))
    #expect(server.send("") == serverFrame(0xC1, [0x00]))
  }

  @Test("small messages, and those that would grow, are sent uncompressed")
  func notWorthIt() {
    let server = WebSocketPeer(compression: Self.notKept)
    #expect(server.send("Hello") == serverFrame(0x81, Array("Hello".utf8)))
    let dense = (0..<100).map { UInt8($0 &* 37 % 251) }
    #expect(server.send(dense, .binary) == serverFrame(0x82, dense))
  }

  @Test("uncompressed messages are read too")
  func uncompressed() {
    let server = WebSocketPeer(compression: Self.kept)
    #expect(server.events(clientFrame(1, "plain")) == [.text("plain")])
  }

  @Test("the compression bit on a continuation or a control frame closes with 1002")
  func misplacedBit() {
    let server = WebSocketPeer(compression: Self.kept)
    #expect(server.events(clientFrame(9, [], reserved: 4)) == [.failed(.reservedBit)])
    let other = WebSocketPeer(compression: Self.kept)
    let frames = clientFrame(1, "a", final: false) + clientFrame(0, [0x62], reserved: 4)
    #expect(other.events(frames) == [.failed(.reservedBit)])
  }

  @Test(
    "invalid DEFLATE data closes with 1007",
    arguments: [[0xFF, 0xFF], [0x07], [0xF2, 0x48], [0x05]] as [[UInt8]])
  func invalid(payload: [UInt8]) {
    for agreement in [Self.kept, Self.notKept] {
      let output = WebSocketPeer(compression: agreement)
        .receive(clientFrame(1, payload, reserved: 4))
      #expect(output.events == [.failed(.invalidCompression)])
      #expect(closeCode(output.bytes) == 1007)
    }
  }

  @Test("a message may end its stream a limited number of times")
  func endings() {
    let ending: [UInt8] = [0x03, 0x00]
    for (count, isAccepted) in [(1, true), (8, true), (50, false)] {
      let payload = (0..<count).flatMap { _ in ending } + Self.hello
      let events = WebSocketPeer(compression: Self.kept)
        .events(clientFrame(1, payload, reserved: 4))
      #expect(events == [isAccepted ? .text("Hello") : .failed(.invalidCompression)])
    }
  }

  @Test("frames for many clients are compressed only where the server keeps no context")
  func sharedFrames() {
    #expect(Self.notKept.sharedFrameWindowBits == 15)
    #expect(Self.kept.sharedFrameWindowBits == nil)
  }

  @Test("compressed text that is not UTF-8 closes with 1007")
  func invalidText() {
    var payload: [UInt8] = []
    DeflateWorkspace().compress([0x61, 0xFF].span, windowBits: 15, into: &payload)
    let output = WebSocketPeer(compression: Self.notKept)
      .receive(clientFrame(1, payload, reserved: 4))
    #expect(output.events == [.failed(.invalidText)])
    #expect(closeCode(output.bytes) == 1007)
  }

  @Test("a bomb is stopped at the limit with 1009")
  func bomb() {
    var payload: [UInt8] = []
    DeflateWorkspace().compress(
      [UInt8](repeating: 0, count: 10_000_000).span, windowBits: 15, into: &payload)
    for agreement in [Self.kept, Self.notKept] {
      let output = WebSocketPeer(compression: agreement)
        .receive(clientFrame(2, payload, reserved: 4))
      #expect(output.events == [.failed(.messageTooLarge(limit: 262_144))])
      #expect(closeCode(output.bytes) == 1009)
    }
  }

  @Test("an incompressible message of exactly the limit is read")
  func denseAtLimit() {
    let dense = (0..<262_144).map { UInt8(truncatingIfNeeded: ($0 &* $0 &* 2_654_435_761) >> 13) }
    let client = WebSocketPeer.client(compression: Self.kept)
    let server = WebSocketPeer(compression: Self.kept)
    #expect(server.events(client.send(dense, .binary)) == [.binary(dense)])
  }
}
