import Testing

@testable import ParleyProtocol

@Suite("Files of messages")
struct MessageFileTests {
  private let file = MessageFile(
    url: "https://a.b/c.png", name: "c.png", type: "image/png", size: 1_234)

  @Test("a file message shows its file, and is read back as it was")
  func roundTrips() throws {
    let message = Message(
      id: 1, type: .file, channelURL: "lobby", user: User(id: "ann"), text: "", file: file,
      createdAt: 5)
    let bytes = JSONWriter.bytes { message.encode(into: &$0) }
    let file =
      #""file":{"file_id":"","url":"https://a.b/c.png","name":"c.png","type":"image/png","#
      + #""size":1234,"require_auth":false,"thumbnails":[]}"#
    #expect(String(decoding: bytes, as: UTF8.self).contains(file))
    #expect(try Message(json: JSONDocument(bytes).root) == message)
  }

  @Test("all but the address of a file may be absent")
  func readsPart() throws {
    let bytes = Array(#"{"url":"https://a.b/"}"#.utf8)
    #expect(
      try MessageFile(json: JSONDocument(bytes).root) == MessageFile(url: "https://a.b/"))
  }

  @Test("a file without an address, or that is no object, is refused by name")
  func refuses() {
    for text in [#"{"name":"c.png"}"#, #"{"url":"u","size":"1"}"#, "[]"] {
      let error = #expect(throws: ResourceError.self) {
        try MessageFile(json: JSONDocument(Array(text.utf8)).root)
      }
      #expect(error?.resource == "file")
    }
  }
}
