import Testing

@testable import ParleyProtocol

@Suite("Creating files")
struct FileCommandsTests {
  private func creation(_ members: String) throws -> FileCreate {
    try FileCreate(parameters(members))
  }

  @Test("the message of an upload is kept without unknown members, and is read back unchanged")
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

  @Test(
    "a key is required when the upload or its message requests one",
    arguments: [
      ("", nil), (#","require_auth":false"#, false), (#","require_auth":true"#, true),
    ] as [(String, Bool?)])
  func needsAKey(members: String, wish: Bool?) throws {
    #expect(try creation(#""size":1\#(members)"#).requiresAuthorization == wish)
    for claim in [true, false] {
      let create = try creation(
        #""size":1\#(members),"message":{"channel_url":"lobby","require_auth":\#(claim)}"#)
      #expect(create.requiresAuthorization == (claim ? true : wish))
      let message = try UploadMessage(json: try #require(create.message))
      #expect(message.draft.file?.requiresAuthorization == claim)
    }
  }

  @Test("a non-boolean require_auth in the message is refused")
  func refusesOtherClaims() throws {
    let members = #""size":1,"message":{"channel_url":"lobby","require_auth":"yes"}"#
    #expect(try refusal("file.create", members) == Refusal(400_104, "require_auth"))
  }

  @Test("a message with only a channel keeps its defaults")
  func keepsTheDefaults() throws {
    let members = #""channel_url":"lobby""#
    let kept = try #require(try creation(#""size":1,"message":{"channel_url":"lobby"}"#).message)
    #expect(try UploadMessage(json: kept) == UploadMessage(parameters(members)))
    #expect(try creation(#""size":1"#).message == nil)
  }
}
