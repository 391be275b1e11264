import Testing

@testable import ParleyProtocol

@Suite("Migrations over the Platform API")
struct MessageMigrationTests {
  private static let now: Int64 = 1_700_000_000_000

  private func migration(_ json: String) throws -> MessageMigration {
    try MessageMigration(Fields(JSONDocument(json).root), at: Self.now)
  }

  private func error(_ json: String, horizon: Int64 = .min) -> ServiceError? {
    do { try migration(json).requireTimes(from: horizon) } catch { return error as? ServiceError }
    return nil
  }

  private func messages(_ members: String) -> String {
    let first = #"{"message_type":"ADMM","message":"x","timestamp":1600000000000}"#
    return #"{"messages":[\#(first),{\#(members)}]}"#
  }

  @Test("texts, files and admin messages of the documented client are read")
  func kinds() throws {
    let found = try migration(
      #"""
      {"messages":[
        {"message_type":"MESG","user_id":"ann","message":"hi","timestamp":1600000000000,
         "dedup_id":"7","mentioned_user_ids":["bob"],"sorted_metaarray":[{"key":"k","value":["v"]}]},
        {"message_type":"FILE","user_id":"ann","url":"https://a.b/f","file_name":"f","file_size":3,
         "timestamp":1600000000001,"custom_field":"c","thumbnails":[{"url":"https://a.b/t"}]},
        {"message_type":"ADMM","message":"note","is_silent":true,"timestamp":1600000000002}],
       "update_read_ts":true}
      """#)
    #expect(found.readPositions == .update)
    #expect(found.messages.map(\.userID) == ["ann", "ann", nil])
    #expect(found.messages.map(\.createdAt) == [0, 1, 2].map { 1_600_000_000_000 + $0 })
    #expect(found.messages[0].dedupID == "7")
    #expect(found.messages[0].draft.mentionedUserIDs == ["bob"])
    #expect(found.messages[1].draft.data == "c")
    #expect(found.messages[1].draft.file?.thumbnails.map(\.url) == ["https://a.b/t"])
    #expect(
      try migration(messages(#""message_type":"ADMM","message":"x","timestamp":1700000060000"#))
        .readPositions == .keep)
  }

  @Test(
    "a refusal names the message and its member",
    arguments: [
      (
        #""message_type":"ADMM","message":"x","timestamp":1700000060001"#, ErrorCode.invalidValue,
        "timestamp"
      ),
      (#""message_type":"ADMM","message":"x","timestamp":-1"#, .invalidValue, "timestamp"),
      (#""message_type":"ADMM","message":"x","timestamp":1600000000"#, .invalidValue, "timestamp"),
      (#""message_type":"ADMM","message":"x","timestamp":"soon""#, .numberExpected, "timestamp"),
      (#""message_type":"ADMM","message":"x""#, .missingParameter, "timestamp"),
      (
        #""message_type":"MESG","message":"x","timestamp":1600000000000"#, .missingParameter,
        "user_id"
      ),
      (#""message":"x","timestamp":1600000000000"#, .missingParameter, "message_type"),
      (
        #""message_type":"FILE","user_id":"ann","url":"ftp://a","timestamp":1600000000000"#,
        .invalidValue, "url"
      ),
    ])
  func refusals(members: String, code: ErrorCode, field: String) {
    let refusal = error(messages(members))
    #expect(refusal?.code == code)
    #expect(refusal?.data.field == "messages[1].\(field)")
    #expect(refusal?.message.contains("'messages[1].\(field)'") == true)
  }

  @Test("lists have 1 to 100 objects, and read positions move one way")
  func lists() {
    #expect(error("{}")?.code == .missingParameter)
    #expect(error(#"{"messages":[]}"#)?.code == .missingParameter)
    #expect(error(#"{"messages":[1]}"#)?.code == .jsonExpected)
    let one = #"{"message_type":"ADMM","message":"x","timestamp":1600000000000}"#
    let many = Array(repeating: one, count: 101).joined(separator: ",")
    #expect(error("{\"messages\":[\(many)]}")?.code == .tooManyItems)
    #expect(
      error(#"{"messages":[\#(one)],"update_read_ts":true,"rewind_read_ts":true}"#)?.code
        == .combinationNotAcceptable)
    #expect(
      error("{\"messages\":[\(one)]}", horizon: 1_650_000_000_000)?.data.field
        == "messages[0].timestamp")
  }
}
