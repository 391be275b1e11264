import TestSupport
import Testing
import HTTP

@Suite("A deflate workspace")
struct DeflateWorkspaceTests {
  @Test("inflates its own output, for every window", arguments: 9...15)
  func roundTrip(windowBits: Int) throws {
    var generator = SeededGenerator(seed: UInt64(windowBits))
    let workspace = DeflateWorkspace()
    for size in [0, 1, 5, 100, 16_384, 16_385, 200_000] {
      let word = generator.bytes(50)
      let payload = (0..<size).map { word[$0 * $0 % 50] }
      var compressed: [UInt8] = [9]
      #expect(workspace.compress(payload.span, windowBits: windowBits, into: &compressed))
      var inflated: [UInt8] = [8]
      try workspace.decompress(
        compressed.span.extracting(1...), limit: payload.count, into: &inflated)
      #expect(inflated == [8] + payload)
    }
  }

  @Test("messages do not refer to each other")
  func independent() {
    let workspace = DeflateWorkspace()
    let text = Array("the same text twice".utf8)
    var (first, second): ([UInt8], [UInt8]) = ([], [])
    workspace.compress(text.span, windowBits: 15, into: &first)
    workspace.compress(text.span, windowBits: 15, into: &second)
    #expect(first == second)
  }

  @Test("refuses one byte over the limit, and works again afterwards")
  func limit() throws {
    let workspace = DeflateWorkspace()
    let payload = [UInt8](repeating: 1, count: 100_000)
    var compressed: [UInt8] = []
    workspace.compress(payload.span, windowBits: 12, into: &compressed)
    var inflated: [UInt8] = []
    #expect(throws: WebSocketError.messageTooLarge(limit: 99_999)) {
      try workspace.decompress(compressed.span, limit: 99_999, into: &inflated)
    }
    #expect(inflated.count <= 99_999)
    inflated = []
    try workspace.decompress(compressed.span, limit: 100_000, into: &inflated)
    #expect(inflated == payload)
  }

  @Test("invalid input is inflated or refused as documented", arguments: UInt64(1)...300)
  func garbage(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let workspace = DeflateWorkspace()
    var inflated: [UInt8] = []
    do throws(WebSocketError) {
      try workspace.decompress(generator.bytes(60).span, limit: 1000, into: &inflated)
    } catch {
      #expect(error == .invalidCompression || error == .messageTooLarge(limit: 1000))
    }
    #expect(inflated.count <= 1000)
  }
}
