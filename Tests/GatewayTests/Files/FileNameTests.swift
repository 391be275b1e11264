import Testing

@testable import Gateway

@Suite("File names")
struct FileNameTests {
  @Test(
    "folders, control characters and bidirectional control characters are removed",
    arguments: [
      ("photo.png", "photo.png"), ("C:\\folder\\photo.png", "photo.png"),
      ("../../etc/passwd", "passwd"), ("a/\u{301}b", "\u{301}b"), ("..\\\u{200D}x", "x"),
      ("a\u{0}b\r\n.txt", "ab.txt"), ("gpj.\u{202E}exe", "gpj.exe"), ("..", "file"),
      ("", "file"), ("folder/", "folder"), ("日本.txt", "日本.txt"),
      ("a\u{200D}b\u{200C}.pdf", "ab.pdf"),
      ("\u{200D}.txt", ".txt"), ("می\u{200C}\u{200C}خ.pdf", "می\u{200C}خ.pdf"),
      ("a\u{200B}\u{FEFF}\u{AD}b", "ab"), ("a\u{E0062}b", "ab"),
    ])
  func names(sent: String, text: String) {
    let name = FileName(sent).text
    #expect(name.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(!name.unicodeScalars.contains { $0 == "/" || $0 == "\\" })
  }

  @Test(
    "joiners required by scripts and emoji are kept",
    arguments: [
      "می\u{200C}خواهم.pdf", "👩\u{200D}👩\u{200D}👧.txt", "❤️\u{200D}🔥.png", "क्\u{200D}ष.txt",
      "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}.png",
    ])
  func joiners(sent: String) {
    #expect(FileName(sent).text.unicodeScalars.elementsEqual(sent.unicodeScalars))
  }

  @Test("a truncated name does not begin with a joiner")
  func cut() {
    let name = FileName("می" + "\u{200C}" + String(repeating: "ه", count: 254)).text
    #expect(name.unicodeScalars.count == 254)
    #expect(name.unicodeScalars.first != "\u{200C}")
  }
}
