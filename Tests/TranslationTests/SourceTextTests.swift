import Testing

@testable import Translation

@Suite("Texts to be translated")
struct SourceTextTests {
  @Test("texts are equal by their bytes, not by their appearance")
  func bytes() {
    let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
    #expect(composed == decomposed)
    #expect(SourceText(composed) != SourceText(decomposed))
    #expect(SourceText(composed) == SourceText(String(decoding: composed.utf8, as: UTF8.self)))
    #expect(TranslationText(composed, into: "es") != TranslationText(decomposed, into: "es"))
    #expect(TranslationText(composed, into: "es") != TranslationText(composed, into: "de"))
    #expect(TranslationText(composed, into: "es").text.utf8.elementsEqual(composed.utf8))
  }

  @Test(
    "texts of only emoji, spaces or addresses have no words",
    arguments: [
      "", "  \n", "\u{200b}", "👍", "👩‍👩‍👧 🇩🇪", "ℹ️", "1️⃣", "❤️‍🔥", "https://example.com/a",
      "HTTP://example.com/straße", "https://ja.wikipedia.org/wiki/らき☆すた", "example.com",
      "(example.com)",
      "me@example.com", "mailto:me@example.com", "https://a.com example.com 👍", "<https://a.com>",
    ])
  func wordless(text: String) {
    #expect(!SourceText(text).hasWords)
  }

  @Test(
    "all other texts have words",
    arguments: [
      "a", "안녕", "привет", "看https://a.com", "sendbird.com입니다", "ok.thanks", "see example.com",
      "👍 yes", "e.g.", "Yes.No", "@ann", "https", "12:30", "5", "!!!", "\\ \"", "नमस्ते",
    ])
  func words(text: String) {
    #expect(SourceText(text).hasWords)
  }

  @Test("texts that differ in any byte, or in length, are different")
  func differences() {
    let text = String(repeating: "e\u{301}", count: 2_500)
    var texts: Set<SourceText> = [SourceText(""), SourceText(text), SourceText(text + "\u{0}")]
    for place in stride(from: 0, to: 7_500, by: 3) {
      var bytes = Array(text.utf8)
      bytes[place] = 0x66
      texts.insert(SourceText(String(decoding: bytes, as: UTF8.self)))
    }
    #expect(texts.count == 2_503)
  }
}
