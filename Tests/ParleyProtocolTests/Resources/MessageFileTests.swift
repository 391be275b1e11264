import Testing

@testable import ParleyProtocol

@Suite("Files of messages")
struct MessageFileTests {
  private let file = MessageFile(
    url: "https://a.b/c.png", name: "c.png", type: "image/png", size: 1_234)

  @Test("a file message contains its file, and is read back unchanged")
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

  @Test("thumbnails are listed in order, and read back unchanged")
  func showsThumbnails() throws {
    var file = file
    file.thumbnails = [
      MessageThumbnail(
        url: "https://a.b/t", type: "image/jpeg", size: 3_120,
        bounds: ThumbnailSize(maxWidth: 100, maxHeight: 90), width: 100, height: 75),
      MessageThumbnail(url: "https://c.d/"),
    ]
    let bytes = JSONWriter.bytes { file.encode(into: &$0) }
    let first =
      #"{"url":"https://a.b/t","type":"image/jpeg","size":3120,"max_width":100,"max_height":90,"#
      + #""real_width":100,"real_height":75}"#
    #expect(String(decoding: bytes, as: UTF8.self).contains(first))
    #expect(try MessageFile(json: JSONDocument(bytes).root) == file)
  }

  @Test("all members but the address of a file may be absent")
  func readsPart() throws {
    let bytes = Array(#"{"url":"https://a.b/"}"#.utf8)
    #expect(
      try MessageFile(json: JSONDocument(bytes).root) == MessageFile(url: "https://a.b/"))
  }

  @Test("a file without an address, or that is not an object, is refused by name")
  func refuses() {
    for text in [#"{"name":"c.png"}"#, #"{"url":"u","size":"1"}"#, "[]"] {
      let error = #expect(throws: ResourceError.self) {
        try MessageFile(json: JSONDocument(Array(text.utf8)).root)
      }
      #expect(error?.resource == "file")
    }
  }
}
