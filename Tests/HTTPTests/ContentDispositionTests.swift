import HTTP
import Testing

@Suite("Content-Disposition")
struct ContentDispositionTests {
  @Test("names the file for old and new clients, and no name can end the field (RFC 6266)")
  func names() {
    #expect(
      ContentDisposition.attachment.field(fileName: "a b.txt")
        == "attachment; filename=\"a b.txt\"; filename*=UTF-8''a%20b.txt")
    #expect(
      ContentDisposition.inline.field(fileName: "na\"ï\\%\r\n.png")
        == "inline; filename=\"na______.png\"; filename*=UTF-8''na%22%C3%AF%5C%25%0D%0A.png")
  }
}
