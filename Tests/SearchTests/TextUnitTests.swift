import TestSupport
import Testing

@testable import Search

@Suite("Units of texts", .onOwnThreads)
struct TextUnitTests {
  @Test(
    "case, accents and width make no difference",
    arguments: [
      ("Straße", "STRASSE"), ("Café", "cafe"), ("Cafe\u{301}", "café"), ("ＡＢＣ１", "abc1"),
      ("ﬁne", "fine"), ("Ünïcödé", "unicode"), ("ﾊﾟｰﾃｨｰ", "パーティー"), ("𝐁𝐨𝐥𝐝", "bold"), ("Ⅷ", "viii"),
      ("Ἀθῆναι", "αθηναι"), ("ЁЛКА", "елка"), ("שָׁלוֹם", "שלום"), ("مُحَمَّد", "محمد"),
      ("\u{1112}\u{1161}\u{11AB}", "한"), ("co\u{AD}operate", "cooperate"), ("№", "no"),
    ])
  func folds(_ text: String, _ other: String) {
    #expect(TextUnit.all(in: text) == TextUnit.all(in: other))
    #expect(!TextUnit.all(in: text).isEmpty)
  }

  @Test(
    "letters that are not accented forms of one another stay apart",
    arguments: [("か", "が"), ("ハ", "パ"), ("한", "하"), ("กิ", "กา"), ("o", "0"), ("ı", "i")])
  func keepsApart(_ one: String, _ other: String) {
    #expect(TextUnit.all(in: one) != TextUnit.all(in: other))
  }

  @Test("words end at punctuation and at scripts without spaces")
  func divides() {
    #expect(
      TextUnit.all(in: "see swift.org, don't_stop 手机iPhone15 ok")
        == ["see", "swift", "org", "don", "t", "stop"].map(TextUnit.word)
        + [.run(Array("手机".unicodeScalars)), .word("iphone15"), .word("ok")])
  }

  @Test("emoji are units without variation and skin tone")
  func emoji() {
    #expect(TextUnit.all(in: "ok👍🏽!") == [.word("ok"), .emoji("👍")])
    #expect(TextUnit.all(in: "❤️") == TextUnit.all(in: "❤"))
    #expect(TextUnit.all(in: "🇩🇪🇫🇷") == [.emoji("🇩🇪"), .emoji("🇫🇷")])
    #expect(TextUnit.all(in: "👨‍👩‍👧").count == 1)
    #expect(TextUnit.all(in: "👨👩👧").count == 3)
  }

  @Test(
    "texts without words have no units",
    arguments: ["", "?!…", " \n\t", "\u{0}", "\u{200B}", "«»", "\u{E000}"])
  func none(_ text: String) {
    #expect(TextUnit.all(in: text).isEmpty)
  }

  @Test("hostile texts give bounded tokens")
  func hostile() {
    let marks = SearchedText(text: "a" + String(repeating: "\u{301}", count: 128) + "b")
    #expect(marks.tokens == ["ab"])
    let word = SearchedText(text: String(repeating: "x", count: 5_000))
    #expect(word.tokens == [String(repeating: "x", count: 32)])
    let signs = SearchedText(text: String(repeating: "\u{0F39}", count: 5_000))
    #expect(signs.tokens.allSatisfy { $0.unicodeScalars.count <= 32 })
    let joined = SearchedText(text: String(repeating: "👨\u{200D}", count: 5_000))
    #expect(joined.tokens.allSatisfy { $0.unicodeScalars.count <= 16 })
  }

  @Test("runs become pairs of neighbours and the last character")
  func pairs() {
    #expect(SearchedText(text: "新年快乐").tokens == ["新年", "年快", "快乐", "乐"])
    #expect(SearchedText(text: "x", fileName: "Bild.png").tokens == ["x", "bild", "png"])
  }
}
