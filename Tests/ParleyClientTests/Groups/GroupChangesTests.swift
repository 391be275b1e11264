import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Changes of groups")
struct GroupChangesTests {
  private let core = ClientCore(bufferedEvents: 10)

  private func changes(_ answer: String) throws -> GroupChannelChangeLogs {
    try core.changes(
      in: core.groupCalls.changes(since: .token("t")).read(
        AnswerReader.document(answer.json)), since: core.groupCoverage)
  }

  @Test("are requested from a token or a time")
  func written() {
    #expect(params(core.groupCalls.changes(since: .token("t"))) == #"{"token":"t"}"#)
    #expect(params(core.groupCalls.changes(since: .time(7))) == #"{"since":7}"#)
  }

  @Test("have the client's objects for the groups, and begin at group.ready")
  func read() throws {
    #expect(core.groupChangesToken == nil)
    core.receive("group.ready", #"{"ts":1,"token":"first"}"#)
    #expect(core.groupChangesToken == "first")
    let group = try core.knownGroup()
    let found = try changes(
      #"{"updated":[\#(Sample.group())],"deleted":["gone"],"has_more":true,"token":"next"}"#)
    #expect(found.updatedChannels == [group] && found.updatedChannels[0] === group)
    #expect(found.deletedChannelURLs == ["gone"] && found.hasMore && found.token == "next")
  }

  @Test(
    "that are incomplete are refused",
    arguments: [
      "{}", #"{"updated":[],"deleted":[7],"has_more":false,"token":"t"}"#,
      #"{"updated":[],"deleted":[],"has_more":0,"token":"t"}"#,
      #"{"updated":[],"deleted":[],"has_more":false}"#,
    ])
  func malformed(_ answer: String) {
    #expect(throws: ParleyError.self) { try changes(answer) }
  }
}
