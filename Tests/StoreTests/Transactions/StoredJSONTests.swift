import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("JSON columns", .onOwnThreads)
struct StoredJSONTests {
  @Test("any character of a text survives, including U+0000")
  func keepsCharacters() throws {
    let values = ["", "\u{0}", "\"\\/\n", "\u{2028}\u{1F600}e\u{301}"]
    let json = StoredJSON.encode(values)
    #expect(!json.utf8.contains(0))
    #expect(
      try StoredJSON.decode([String].self, from: json).map { Array($0.unicodeScalars) }
        == values.map { Array($0.unicodeScalars) })
  }

  @Test("an empty list or map takes no space")
  func leavesOutEmpty() {
    #expect(StoredJSON.encodeUnlessEmpty([String]()) == nil)
    #expect(StoredJSON.encodeUnlessEmpty([String: String]()) == nil)
    #expect(StoredJSON.encodeUnlessEmpty(["a"]) == #"["a"]"#)
  }

  @Test("a file is read back as it was written, with absent members omitted")
  func files() throws {
    let thumbnail = MessageThumbnail(
      url: "", type: "image/png", size: 5, bounds: ThumbnailSize(maxWidth: 8, maxHeight: 9),
      width: 7,
      height: 6)
    let file = MessageFile(
      url: "http://a/b", name: "n", type: "image/png", size: .max, thumbnails: [thumbnail])
    let json = StoredJSON.encode(StoredFile(file, nil))
    #expect(
      json == #"{"name":"n","size":9223372036854775807,"thumbnails":[{"height":6,"maxHeight":9,"#
        + #""maxWidth":8,"size":5,"type":"image/png","width":7}],"type":"image/png","#
        + #""url":"http://a/b"}"#)
    let read = try StoredJSON.decode(StoredFile.self, from: json)
    #expect(StoredJSON.encode(read) == json)
    #expect(read.id == nil && read.auth == nil)
  }

  @Test("a preview of an earlier version is read, with null for missing members")
  func previews() throws {
    let image = #"{"alt":null,"height":0,"url":"http:\/\/a","width":2147483647}"#
    let json = #"{"image":"# + image + #","title":"\ud83d\ude00"}"#
    let tag = try StoredJSON.decode(StoredOpenGraphTag.self, from: json).tag
    #expect(tag.title == "\u{1F600}" && tag.image?.url == "http://a" && tag.image?.width == .max)
  }

  @Test(
    "another shape is reported as damage",
    arguments: ["[]", "{}", #"{"key":1,"value":[]}"#, #"{"key":"a","value":["b",2]}"#, "null"])
  func shapes(json: String) {
    #expect(throws: StoreError.self) { try StoredJSON.decode(StoredMetaArray.self, from: json) }
    #expect(throws: StoreError.self) { try StoredJSON.decode([Int32].self, from: "[2147483648]") }
  }

  @Test("a column that is not JSON is reported as damage")
  func reportsDamage() async throws {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      try transaction.connection.execute("UPDATE users SET metadata = '{' WHERE user_id = 'ann'")
    }
    let error = await #expect(throws: StoreError.self) {
      try await fixture.store.read { try $0.user("ann") }
    }
    guard case .damaged? = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
  }
}
