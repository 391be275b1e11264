import ParleyProtocol
import Testing

@testable import parley

@Suite("A text of somebody else")
struct PlainLineTests {
  @Test(
    "loses what a terminal would obey",
    arguments: [
      "\u{1b}]0;title\u{7}", "a\rb", "\u{9b}31m", "\u{202e}txt", "x\u{2066}y", "\u{7f}", "a\nb",
    ])
  func control(text: String) {
    #expect(!PlainLine.clean(text).unicodeScalars.contains(where: PlainLine.isControl))
  }

  @Test("keeps its letters, and is cut when it is long")
  func letters() {
    #expect(PlainLine.clean("žluťoučký 🎉") == "žluťoučký 🎉")
    #expect(PlainLine.clean("abcdef", limit: 3) == "abc…")
  }

  @Test("stays the same JSON when it is made harmless")
  func json() throws {
    let json = #"{"a":"\#u{9b}31m\#u{202e}","b":[1, 2]}"#
    let harmless = OutputOptions.harmless(json)
    #expect(harmless.unicodeScalars.allSatisfy { !PlainLine.isControl($0) })
    let (before, after) = (try JSONDocument(json).root, try JSONDocument(harmless).root)
    #expect(before["a"]?.string == after["a"]?.string)
  }
}
