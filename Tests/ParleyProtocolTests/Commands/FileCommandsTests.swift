import Testing

@testable import ParleyProtocol

@Suite("Creating files")
struct FileCommandsTests {
  private func creation(_ members: String) throws -> FileCreate {
    try FileCreate(parameters(members))
  }

  @Test("the message of an upload is kept without what is unknown, and reads as it was meant")
  func keepsTheMessage() throws {
    let known = """
      "channel_url":"lobby","req_id":"r","message":"a \\"b\\"","file_name":"n","file_type":"t/t",\
      "data":"d","custom_type":"c","mention_type":"channel","mentioned_user_ids":["ann","bob"],\
      "metaarray":[{"key":"k","value":["v","w"]},{"key":"l","value":[]}],"push_option":"suppress",\
      "thumbnail_sizes":[{"max_width":10,"max_height":20}]
      """
    let padding = String(repeating: " ", count: 5_000)
    let create = try creation(
      """
      "size":1,"message":{\(padding)\(known),"junk":["\(String(repeating: "x", count: 5_000))"]}
      """)
    let kept = try #require(create.message)
    #expect(kept == "{\(known)}")
    let message = try UploadMessage(json: kept)
    #expect(try message == UploadMessage(parameters(known)))
    #expect(message.draft.metaArrays.map(\.key) == ["k", "l"])
  }

  @Test("a message of a channel alone keeps what it has by default")
  func keepsTheDefaults() throws {
    let members = #""channel_url":"lobby""#
    let kept = try #require(try creation(#""size":1,"message":{"channel_url":"lobby"}"#).message)
    #expect(try UploadMessage(json: kept) == UploadMessage(parameters(members)))
    #expect(try creation(#""size":1"#).message == nil)
  }
}
