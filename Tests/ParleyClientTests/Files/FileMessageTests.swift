import Testing

@testable import ParleyClient

@Suite("A file message")
struct FileMessageTests {
  private let keys = FileKeys(serverURL: "wss://a.b")

  private func message(
    fileID: String = "5fe9", url: String = "https://a.b/files/5fe9/plan.png",
    requireAuth: Bool = true
  ) throws -> FileMessage {
    let file = """
      {"file_id":"\(fileID)","url":"\(url)","name":"plan.png","type":"image/png","size":9,
      "require_auth":\(requireAuth),"thumbnails":[{"url":"\(url)/t.jpg","type":"image/jpeg",
      "size":3,"max_width":100,"max_height":80,"real_width":100,"real_height":75}]}
      """
    let answer = Sample.message(type: "FILE").replacing(#""file":null"#, with: #""file":\#(file)"#)
    return try MessageReader(fileKeys: keys).fileMessage(
      of: AnswerReader.document(#"{"message":\#(answer)}"#.json))
  }

  @Test("has the latest key in the address of a file that needs one, and of its thumbnails")
  func key() throws {
    let message = try message()
    let url = "https://a.b/files/5fe9/plan.png"
    #expect(message.url == url)
    keys.keep(FileKey(key: "k-1_", expiresAt: 1))
    #expect(message.url == url + "?auth=k-1_")
    #expect(message.plainURL == url)
    #expect(message.thumbnails.map(\.url) == [url + "/t.jpg?auth=k-1_"])
    #expect(message.thumbnails.map(\.plainURL) == [url + "/t.jpg"])
    keys.keep(FileKey(key: "a&b=/", expiresAt: 1))
    #expect(message.url == url + "?auth=a%26b%3D%2F")
    #expect(message.requireAuth)
    keys.keep(nil)
    #expect(message.url == url)
  }

  @Test("gives the key to no server of a sender's choice, and to no file that needs none")
  func strangers() throws {
    keys.keep(FileKey(key: "k", expiresAt: 1))
    for message in [
      try message(fileID: "", url: "https://evil.example/x", requireAuth: true),
      try message(requireAuth: false),
    ] {
      #expect(message.url == message.plainURL)
      #expect(message.thumbnails.allSatisfy { $0.url == $0.plainURL })
    }
  }

  @Test("and its thumbnails give the key to no host that the sender has named")
  func otherHost() throws {
    keys.keep(FileKey(key: "k", expiresAt: 1))
    let message = try message(url: "https://evil.example/files/5fe9/plan.png")
    #expect(message.requireAuth && message.plainURL.hasPrefix("https://evil.example/"))
    #expect(message.url == "https://a.b:443/files/5fe9/plan.png?auth=k")
    #expect(message.thumbnails.map(\.url) == ["https://a.b:443/files/5fe9/plan.png/t.jpg?auth=k"])
  }

  @Test("has its thumbnails with their bounds and sizes")
  func thumbnails() throws {
    let thumbnail = try #require(try message().thumbnails.first)
    #expect(thumbnail.type == "image/jpeg")
    #expect(thumbnail.size == 3)
    #expect(thumbnail.maxSize == PixelSize(width: 100, height: 80))
    #expect(thumbnail.realSize == PixelSize(width: 100, height: 75))
  }

  @Test("is equal to itself before and after a key change")
  func equality() throws {
    let before = try message()
    keys.keep(FileKey(key: "k", expiresAt: 1))
    #expect(try message() == before)
    #expect(try message().hashValue == before.hashValue)
    #expect(try message(url: "https://a.b/files/5fe9/other.png") != before)
  }

  @Test("requests thumbnails when its file is uploaded and when it is sent")
  func wishes() {
    let given = FileMessageCreateParams(file: .bytes([1]))
    given.thumbnailSizes = [
      .make(maxWidth: 100, maxHeight: 80), .make(maxSize: PixelSize(width: 7, height: 5)),
    ]
    let wish =
      #""thumbnail_sizes":[{"max_width":100,"max_height":80},{"max_width":7,"max_height":5}]"#
    #expect(
      params(FileCalls.create(given.values, size: 1, requestID: "r"))
        == #"{"size":1,\#(wish),"req_id":"r"}"#)
    let calls = MessageCalls(reader: MessageReader(fileKeys: keys))
    #expect(
      params(calls.send(given.values, fileID: "5fe9", to: "lobby", requestID: "r"))
        == #"{"channel_url":"lobby","req_id":"r","message_type":"FILE","file_id":"5fe9",\#(wish),"#
        + #""message":""}"#)
  }
}
