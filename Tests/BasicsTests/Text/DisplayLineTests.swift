import Basics
import Basics
import Testing

@Suite("Text for display")
struct DisplayLineTests {
  @Test("white space is Unicode white space, including line separators")
  func whitespace() {
    for number in UInt32(0)...0x3100 {
      guard let scalar = Unicode.Scalar(number), scalar.properties.isWhitespace, number != 0x85
      else { continue }
      #expect(DisplayText.line("a\(scalar)\(scalar)b", limit: 9) == "a b", "U+\(number)")
    }
  }

  @Test(
    "a character of several scalars is either kept whole or dropped",
    arguments: [
      ("ab👩\u{200d}🚀", 3, "ab"), ("ab👩\u{200d}🚀", 5, "ab👩\u{200d}🚀"), ("abe\u{301}x", 3, "ab"),
      ("abe\u{301}x", 4, "abe\u{301}"), ("ab🇰🇷", 3, "ab"), ("abc", 3, "abc"), ("abcd", 3, "abc"),
      ("ab c", 3, "ab"), ("a  b", 3, "a b"), ("", 3, ""), ("a e\u{301}x", 3, "a"),
    ])
  func cutting(text: String, limit: Int, expected: String) {
    #expect(DisplayText.line(text, limit: limit) == expected)
  }

  @Test("a long run of combining marks is truncated rather than dropped")
  func marks() {
    let heap = "a" + String(repeating: "\u{301}", count: 100)
    #expect(DisplayText.line(heap, limit: 50).unicodeScalars.count == 50)
  }
}
