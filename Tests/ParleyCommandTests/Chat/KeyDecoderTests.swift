import TestSupport
import Testing

@testable import parley

@Suite("Keys of a terminal")
struct KeyDecoderTests {
  @Test("are UTF-8 characters, wherever the input is split")
  func characters() {
    var decoder = KeyDecoder()
    let keys = Array("aé世🎉".utf8).flatMap { decoder.receive([$0]) }
    #expect(keys == [.text("a"), .text("é"), .text("世"), .text("🎉")])
  }

  @Test("are cursor keys in each of their encodings")
  func cursorKeys() {
    var decoder = KeyDecoder()
    let keys = decoder.receive(Array("\u{1b}[A\u{1b}OB\u{1b}[1;5C\u{1b}[3~\u{1b}[H\u{1b}[4~".utf8))
    #expect(keys == [.up, .down, .right, .delete, .home, .end])
  }

  @Test("are control characters")
  func controls() {
    var decoder = KeyDecoder()
    #expect(
      decoder.receive([0x0d, 0x7f, 0x03, 0x04, 0x17])
        == [.enter, .backspace, .interrupt, .endOfInput, .deleteWord])
  }

  @Test("are skipped where the bytes are invalid, and decoding continues after them")
  func broken() {
    var decoder = KeyDecoder()
    #expect(decoder.receive([0xff, 0xc3, UInt8(ascii: "x"), 0xed, 0xa0, 0x80]) == [.text("x")])
    let endless = [0x1b, UInt8(ascii: "[")] + Array(repeating: UInt8(ascii: "1"), count: 40)
    #expect(decoder.receive(endless).allSatisfy { $0 == .text("1") })
    // U+009B would begin an escape sequence.
    #expect(decoder.receive([0xc2, 0x9b]).isEmpty)
  }

  @Test("are decoded again after any input")
  func anything() {
    var generator = SeededGenerator(seed: 7)
    var decoder = KeyDecoder()
    for _ in 0..<20_000 { _ = decoder.receive([UInt8.random(in: 0...255, using: &generator)]) }
    _ = decoder.receive(Array("~~~~~~~~~~~~~~~~~~~~".utf8))
    #expect(decoder.receive([UInt8(ascii: "a")]) == [.text("a")])
  }
}
