import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("A preview of the server")
struct OGMetaDataTests {
  private func preview(_ json: String) throws -> OGMetaData {
    OGMetaData(try #require(OpenGraphTag(json: AnswerReader.document(json.json))))
  }

  @Test("has the address that the page names, when the picture is a copy on the server")
  func origin() throws {
    let copy = try preview(
      #"{"og:image":{"url":"https://p.b/previews/1.jpg","origin_url":"https://a.b/i.png"}}"#)
    #expect(copy.defaultImage?.url == "https://p.b/previews/1.jpg")
    #expect(copy.defaultImage?.originURL == "https://a.b/i.png")
    let direct = try preview(#"{"og:image":{"url":"https://a.b/i.png"}}"#)
    #expect(direct.defaultImage?.originURL == nil)
  }
}
