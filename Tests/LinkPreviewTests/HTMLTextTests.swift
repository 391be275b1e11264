import TestSupport
import Testing

@testable import LinkPreview

@Suite("Page text")
struct HTMLTextTests {
  private func text(_ bytes: [UInt8], limit: Int = 4_096) -> HTMLText {
    var text = HTMLText(limit: limit)
    for byte in bytes { text.append(byte) }
    return text
  }

  @Test("a text is blank exactly if it has no visible characters")
  func blankness() {
    let seed = UInt64.random(in: 1...UInt64.max)
    var generator = SeededGenerator(seed: seed)
    let pieces = [
      " ", "\n", "\u{7f}", "\u{1}", "&nbsp;", "&#160;", "&#x2003;", "&NewLine;", "&Tab", "\u{a0}",
      "\u{3000}", "\u{2028}", "\u{202e}", "\u{85}", "\u{9f}", "&#x202e;", "&#27;", "\u{2069}",
    ]
    let visible = ["x", "&", "&amp;", "é", "\u{200b}", "&nbs", "\u{200d}", "&#0;", "한", "😀"]
    for _ in 0..<2_000 {
      var value = (0..<Int.random(in: 0...6, using: &generator)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &generator)]
      }
      if Bool.random(using: &generator) {
        value.insert(
          visible[Int.random(in: 0..<visible.count, using: &generator)],
          at: Int.random(in: 0...value.count, using: &generator))
      }
      let source = value.joined()
      let expected = PreviewText.make(from: source, in: .attribute, limit: 64) == nil
      #expect(
        text(Array(source.utf8)).isBlank == expected, "seed \(seed): \(source.debugDescription)")
    }
  }

  @Test("a text that begins with a kilobyte of white space counts as blank")
  func longBlankness() {
    for piece in [" ", "&nbsp;", "\u{3000}", "\u{a0}"] {
      let nothing = Array(String(repeating: piece, count: 1_024).utf8)
      #expect(text(nothing + [0x78], limit: 40_960).isBlank)
    }
    #expect(!text([UInt8](repeating: 0x20, count: 1_000) + [0x78]).isBlank)
  }

  @Test("bytes that are not UTF-8 are not blank")
  func invalid() {
    for bytes: [UInt8] in [
      [0xa0], [0xc2], [0xe3, 0x80], [0xff], [0xc0, 0xa0], [0xe0, 0x80, 0xa0],
    ] {
      #expect(!text(bytes).isBlank)
    }
  }

  @Test("bytes beyond the limit are dropped, and the truncation is marked")
  func limit() {
    var text = text([1, 2, 3], limit: 2)
    #expect(text.bytes == [1, 2])
    #expect(text.isTruncated)
    text.removeAll()
    #expect(text.bytes == [])
    #expect(!text.isTruncated)
  }
}
