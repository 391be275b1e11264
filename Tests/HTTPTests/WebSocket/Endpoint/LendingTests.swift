import TestSupport
import Testing

@testable import HTTP

@Suite("Messages borrowed from the input")
struct LendingTests {
  private func client(limit: Int = 1_000_000) -> WebSocketEndpoint {
    WebSocketEndpoint(
      role: .client(maskingKey: { 1 }), limits: WebSocketLimits(messageBytes: limit))
  }

  private func frame(_ payload: [UInt8], _ opcode: Opcode = .text) -> [UInt8] {
    var bytes: [UInt8] = []
    FrameEncoder.appendFrame(opcode: opcode, payload: payload.span, into: &bytes)
    return bytes
  }

  @Test("a whole text is returned as a range of the input", arguments: [0, 1, 125, 126, 65_535])
  func lent(count: Int) {
    let text = [UInt8](repeating: 0x61, count: count)
    let bytes = [9, 9] + frame(text) + [0x81]
    let range = client().wholeText(in: bytes.span, from: 2)
    #expect(range.map { Array(bytes[$0]) } == text)
    #expect(range?.upperBound == bytes.count - 1)
  }

  @Test("all other frames are left to the decoder")
  func notLent() {
    let endpoint = client(limit: 100)
    let whole = frame(Array("hello".utf8))
    for count in 0..<whole.count {
      #expect(endpoint.wholeText(in: Array(whole[..<count]).span, from: 0) == nil)
    }
    let large = [UInt8](repeating: 0x61, count: 101)
    for bytes in [
      frame([1], .binary), frame([], .ping), frame([0xC3]), frame(large), [0x01, 1, 0x61],
      [0xC1, 1, 0x61], [0x81, 0x81, 0, 0, 0, 0, 0x61], [0x81, 126, 0, 5, 1, 2, 3, 4, 5],
    ] {
      #expect(endpoint.wholeText(in: bytes.span, from: 0) == nil)
    }
    let server = WebSocketEndpoint(role: .server)
    #expect(server.wholeText(in: whole.span, from: 0) == nil)
  }

  @Test("nothing is borrowed within a fragmented message, or after a close")
  func state() {
    let deflate = DeflateWorkspace()
    let whole = frame(Array("hello".utf8))
    var fragmented = client()
    var output = WebSocketOutput()
    fragmented.receive([0x01, 1, 0x61].span, using: deflate, into: &output)
    #expect(fragmented.wholeText(in: whole.span, from: 0) == nil)
    var cut = client()
    cut.receive([0x81].span, using: deflate, into: &output)
    #expect(cut.wholeText(in: whole.span, from: 0) == nil)
    var closed = client()
    var bytes: [UInt8] = []
    closed.close(.normalClosure, into: &bytes)
    #expect(closed.wholeText(in: whole.span, from: 0) == nil)
  }

  @Test("borrowing and decoding produce the same messages", arguments: 1...20)
  func sameMessages(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var (stream, texts): ([UInt8], [[UInt8]]) = ([], [])
    for _ in 0..<50 {
      let text = [UInt8](
        repeating: UInt8.random(in: 0x20...0x7E, using: &generator),
        count: Int.random(in: 0...300, using: &generator))
      texts.append(text)
      let whole = frame(text)
      // The same as an empty first fragment and a last one.
      stream += generator.oneIn(4) ? [0x01, 0, 0x80] + whole.dropFirst() : whole
      if generator.oneIn(5) { stream += frame([1, 2], .ping) }
    }
    var endpoint = client()
    var received: [[UInt8]] = []
    for piece in generator.pieces(of: stream) {
      var offset = 0
      while offset < piece.count {
        if let range = endpoint.wholeText(in: piece.span, from: offset) {
          received.append(Array(piece[range]))
          offset = range.upperBound
          continue
        }
        var output = WebSocketOutput()
        offset += endpoint.receiveNext(
          piece.span.extracting(offset...), using: DeflateWorkspace(), into: &output)
        for case .text(let text) in output.events { received.append(text) }
      }
    }
    #expect(received == texts, "seed \(seed)")
  }
}
