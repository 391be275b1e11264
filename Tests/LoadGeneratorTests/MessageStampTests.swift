import TestSupport
import Testing

@testable import LoadGenerator

@Suite("Message stamp")
struct MessageStampTests {
  @Test("a stamp is parsed as it was written", arguments: 1...20)
  func roundTrip(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    let stamp = MessageStamp(
      run: .random(in: 0 ... .max, using: &generator),
      sender: .random(in: 0 ... .max, using: &generator),
      number: .random(in: 0 ... .max, using: &generator),
      intended: .random(in: .min ... .max, using: &generator))
    let bytes = Array(stamp.text.utf8)
    #expect(bytes.count == MessageStamp.byteCount)
    #expect(MessageStamp(bytes.span) == stamp, "seed \(seed)")
    #expect(MessageStamp((generator.bytes(7) + bytes).span, at: 7) == stamp, "seed \(seed)")
  }

  @Test(
    "an invalid stamp is refused",
    arguments: ["", "plg1", "plg2" + Self.zeros, "plg1x" + Self.zeros])
  func refused(text: String) {
    #expect(MessageStamp(Array(text.utf8).span) == nil)
    #expect(MessageStamp(Array(text.utf8).span, at: 5) == nil)
    #expect(MessageStamp(Array(text.utf8).span, at: -1) == nil)
  }

  private static let zeros = String(repeating: "0", count: 40)
}
