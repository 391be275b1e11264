import Basics
import TestSupport
import Testing

@testable import ParleyClient

@Suite("A preview made by the sender")
struct URLPreviewPayloadTests {
  private let preview = URLPreviewPayload(
    url: "https://a.b/c", siteName: "A", title: "\"T\" für 日本", description: "D\n",
    image: "https://a.b/i.png")

  @Test("is read as it was written")
  func roundTrip() throws {
    #expect(URLPreviewPayload(encoded: try preview.encoded()) == preview)
    let params = try UserMessageCreateParams(message: "look", preview: preview)
    #expect(params.customType == "SENDBIRD_DESK_RICH_MESSAGE")
    let record = MessageRecord(pending: params.values, in: "lobby", by: nil, "r")
    #expect(UserMessage(pending: params.values, record).urlPreview == preview)
  }

  @Test("is JSON in Base64")
  func form() throws {
    let small = URLPreviewPayload(url: "u")
    let json = try #require(Base64.decode(try small.encoded()))
    #expect(
      String(decoding: json, as: UTF8.self)
        == #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"u","site_name":"","title":"","#
        + #""description":"","image":""}}"#)
  }

  @Test("is refused when it is too long for a message's data")
  func tooLong() {
    var long = preview
    long.description = String(repeating: "x", count: 20_000)
    let error = #expect(throws: ParleyError.self) { try long.encoded() }
    #expect(error?.code == 400_110)
    #expect(URLPreviewPayload(encoded: String(repeating: "A", count: 24_580)) == nil)
  }

  @Test(
    "is absent when the data has another form",
    arguments: [
      "", "!", "hello", Base64.encode(Array("{}".utf8)),
      Base64.encode(Array(#"{"type":"OTHER","body":{"url":"u"}}"#.utf8)),
      Base64.encode(Array(#"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":""}}"#.utf8)),
      Base64.encode(Array(#"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":[]}"#.utf8)),
      Base64.encode(Array(String(repeating: "[", count: 9).utf8)),
    ])
  func otherForms(data: String) {
    #expect(URLPreviewPayload(encoded: data) == nil)
  }

  @Test("needs only its address")
  func partial() {
    let json = #"{"type":"SENDBIRD_DESK_URL_PREVIEW","body":{"url":"u","title":7},"more":1}"#
    let data = Base64.encode(Array(json.utf8))
    #expect(URLPreviewPayload(encoded: data) == URLPreviewPayload(url: "u"))
  }

  @Test("is looked up only in messages of its custom type")
  func customType() throws {
    let params = try UserMessageCreateParams(message: "look", preview: preview)
    params.customType = ""
    let record = MessageRecord(pending: params.values, in: "lobby", by: nil, "r")
    #expect(UserMessage(record).urlPreview == nil)
  }
}
