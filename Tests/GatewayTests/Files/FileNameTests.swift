import Testing

@testable import Gateway

@Suite("Names of files")
struct FileNameTests {
  @Test(
    "folders, control characters and what turns text around are left out",
    arguments: [
      ("photo.png", "photo.png"), ("C:\\folder\\photo.png", "photo.png"),
      ("../../etc/passwd", "passwd"), ("a/\u{301}b", "\u{301}b"), ("..\\\u{200D}x", "x"),
      ("a\u{0}b\r\n.txt", "ab.txt"), ("gpj.\u{202E}exe", "gpj.exe"), ("..", "file"),
      ("", "file"), ("folder/", "folder"), ("日本.txt", "日本.txt"),
    ])
  func names(sent: String, text: String) {
    let name = FileName(sent).text
    #expect(name.unicodeScalars.elementsEqual(text.unicodeScalars))
    #expect(!name.unicodeScalars.contains { $0 == "/" || $0 == "\\" })
  }
}
