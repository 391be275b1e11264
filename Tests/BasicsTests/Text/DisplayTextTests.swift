import Basics
import TestSupport
import Testing

@Suite("Untrusted text")
struct DisplayTextTests {
  @Test(
    "terminal control characters are removed from a line",
    arguments: [
      "\u{1b}]0;title\u{7}", "a\rb", "\u{9b}31m", "\u{202e}txt", "x\u{2066}y", "\u{7f}", "a\nb",
    ])
  func control(text: String) {
    #expect(!DisplayText.shortened(text).unicodeScalars.contains { $0.actsOnItsSurroundings })
  }

  @Test("a line keeps its letters, and a long line is truncated")
  func letters() {
    #expect(DisplayText.shortened("žluťoučký 🎉") == "žluťoučký 🎉")
    #expect(DisplayText.shortened("abcdef", limit: 3) == "abc…")
    #expect(DisplayText.shortened("abc  ", limit: 3) == "abc")
  }

  @Test("quoting escapes invisible characters and quotation marks")
  func quoting() {
    #expect(DisplayText.quoted("a\u{0}b\u{1b}[31m") == #""a\u{0}b\u{1b}[31m""#)
    #expect(DisplayText.quoted("\"\\\n\r\t\u{200d}\u{2028}") == #""\"\\\n\r\t\u{200d}\u{2028}""#)
    #expect(DisplayText.quoted("abcd", limit: 3) == "\"abc…\"")
    #expect(DisplayText.escaped("\"a\"\u{202e}", limit: 9) == #""a"\u{202e}"#)
  }

  @Test("a plain name is not quoted")
  func names() {
    #expect(DisplayText.name("/etc/parley.yaml") == "/etc/parley.yaml")
    for text in ["", "a b", "a\"", "a\\", "é", String(repeating: "a", count: 81)] {
      #expect(DisplayText.name(text).hasPrefix("\""), "\(text)")
    }
  }

  @Test("an excerpt replaces characters that affect the surrounding text")
  func excerpts() {
    #expect(DisplayText.excerpt("a\u{0}b\u{202e}") == "\"a\u{fffd}b\u{fffd}\"")
    #expect(DisplayText.excerpt("👩\u{200d}🚀") == "\"👩\u{200d}🚀\"")
    #expect(DisplayText.excerpt("abcd", limit: 3) == "\"abc…\"")
  }

  @Test(
    "every form removes characters that affect the surrounding text, and is bounded in length",
    arguments: UInt64(1)...40)
  func bounds(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let text = Self.hostile(&random)
    let limit = Int.random(in: 1...60, using: &random)
    let forms = [
      DisplayText.line(text, limit: limit), DisplayText.shortened(text, limit: limit),
      DisplayText.escaped(text, limit: limit), DisplayText.quoted(text, limit: limit),
      DisplayText.name(text, limit: limit), DisplayText.excerpt(text, limit: limit),
    ]
    for form in forms {
      #expect(!form.unicodeScalars.contains { $0.actsOnItsSurroundings }, "seed \(seed)")
      // The longest escape has ten characters.
      #expect(form.unicodeScalars.count <= 10 * limit + 3, "seed \(seed)")
    }
    #expect(forms[0].unicodeScalars.count <= limit)
    #expect(DisplayText.line(forms[0], limit: limit) == forms[0], "seed \(seed)")
  }

  private static func hostile(_ random: inout SeededGenerator) -> String {
    let special: [Unicode.Scalar] = [
      "\0", "\n", "\r", "\t", "\u{1b}", "\u{7f}", "\u{9b}", "\u{200d}", "\u{2028}", "\u{202e}",
      "\u{2069}", "\"", "\\", " ", "\u{e0001}", "\u{301}", "👩", "a",
    ]
    var text = ""
    for _ in 0..<Int.random(in: 0...80, using: &random) {
      text.unicodeScalars.append(special.randomElement(using: &random) ?? "a")
    }
    return text
  }
}
