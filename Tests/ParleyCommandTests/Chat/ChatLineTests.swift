import Testing

@testable import parley

@Suite("A line typed in a chat")
struct ChatLineTests {
  @Test(
    "is a message, a command or empty",
    arguments: [
      (" hello ", ChatLine.message("hello")), ("", .nothing), ("  ", .nothing), ("/quit", .quit),
      ("/file /tmp/a b.png", .file("/tmp/a b.png")), ("/file", .file("")),
      ("/file\t x ", .file("x")), ("/files", .unknown("/files")), ("/cancel", .cancel),
      ("/who", .participants), ("/more", .withheld), ("/help", .help), ("/x", .unknown("/x")),
      ("//x", .message("/x")),
    ])
  func meaning(line: String, expected: ChatLine) {
    #expect(ChatLine(line) == expected)
  }
}
