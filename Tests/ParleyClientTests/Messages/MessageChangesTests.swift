import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Changes of messages")
struct MessageChangesTests {
  private let core = ClientCore(bufferedEvents: 1)

  private func changes(_ answer: String) throws -> MessageChangeLogs {
    try core.messageCalls.changes("trip", since: .token("t")).read(
      AnswerReader.document(answer.json))
  }

  @Test("are requested from a token or a time")
  func written() {
    let calls = core.messageCalls
    #expect(
      params(calls.changes("trip", since: .token("t")))
        == #"{"channel_url":"trip","token":"t"}"#)
    #expect(
      params(calls.changes("trip", since: .time(7))) == #"{"channel_url":"trip","since":7}"#)
  }

  @Test("are messages and ids")
  func read() throws {
    let found = try changes(
      #"{"updated":[\#(Sample.message(id: 20))],"deleted_ids":[7],"has_more":true,"token":"u"}"#)
    #expect(found.updatedMessages.map(\.messageID) == [20] && found.deletedMessageIDs == [7])
    #expect(found.hasMore && found.token == "u")
  }

  @Test(
    "that are incomplete are refused",
    arguments: [
      "{}", #"{"updated":[],"deleted_ids":["x"],"has_more":false,"token":"t"}"#,
      #"{"updated":[],"deleted_ids":[],"has_more":false}"#,
      #"{"updated":[7],"deleted_ids":[],"has_more":false,"token":"t"}"#,
    ])
  func malformed(_ answer: String) {
    #expect(throws: ParleyError.self) { try changes(answer) }
  }
}
