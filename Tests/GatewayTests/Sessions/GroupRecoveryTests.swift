import Channels
import ParleyProtocol
import Testing

@testable import Gateway

@Suite("The answer to group.recover")
struct GroupRecoveryTests {
  private static let session = SessionAddress(server: 0, shard: 0, connection: 1)

  private func recovery(_ urls: [String], limit: Int = Limits.answerByteCount) -> GroupRecovery {
    let principal = SessionPrincipal(user: User(id: "ann"), session: Self.session)
    let address = ReplyAddress(
      session: Self.session, ticket: CallTicket(unit: 0, index: 0), id: nil, isPaid: true,
      limit: limit)
    return GroupRecovery(
      GroupRecover(
        urls.map { .init(channelURL: $0, position: StreamPosition(epoch: "e", seq: 10)) }),
      by: principal, replyTo: address)
  }

  private func group(
    _ events: [[UInt8]]?, epoch: String = "e", seq: Int64 = 20
  ) -> Result<RecoveredGroup, ServiceError> {
    .success(RecoveredGroup(epoch: epoch, seq: seq, events: events))
  }

  private func results(_ recovery: GroupRecovery) throws -> [JSONNode] {
    try JSONDocument(recovery.encoded()).root["results"].map { Array($0.elements) } ?? []
  }

  private let event = Array(#"{"n":1}"#.utf8)

  @Test("groups are answered in order, with their events or their own error")
  func results() throws {
    var recovery = recovery(["lobby", "gone", "other"])
    #expect(recovery.next?.channelURL == "lobby")
    recovery.add(group([event, event]))
    #expect(recovery.next?.channelURL == "gone")
    recovery.add(.failure(.notFound(.channel, "gone")))
    recovery.add(group(nil, epoch: "f"))
    #expect(recovery.next == nil)
    let found = try results(recovery)
    #expect(
      found[0].text
        == #"{"channel_url":"lobby","epoch":"e","seq":20,"recovered":true,"events":[{"n":1},{"n":1}]}"#
    )
    #expect(found[1]["channel_url"]?.string == "gone" && found[1]["recovered"] == nil)
    #expect(found[1]["error"]?["code"]?.integer == 400_201)
    // Another life of the group's count: calling again is of no use.
    #expect(
      found[2].text
        == #"{"channel_url":"other","epoch":"f","seq":20,"recovered":false,"events":[]}"#)
  }

  @Test("events that do not fit beside those of other groups are asked for again")
  func bytes() throws {
    var recovery = recovery(["lobby", "team", "club"])
    let room = recovery.byteCount
    let large = [UInt8](repeating: UInt8(ascii: " "), count: room / 2 + 1) + event
    recovery.add(group([large]))
    #expect(recovery.byteCount == room - large.count - 1)
    recovery.add(group([large]))
    recovery.add(group([event]))
    let found = try results(recovery)
    #expect(found.map { $0["recovered"]?.bool } == [true, false, true])
    #expect(found.map { $0["reason"]?.string } == [nil, "budget", nil])
    #expect(recovery.encoded().count < Limits.answerByteCount)
  }

  @Test("an answer has 3,000 events")
  func events() throws {
    var recovery = recovery((0..<7).map { "group\($0)" })
    for _ in 0..<7 { recovery.add(group(Array(repeating: event, count: 450))) }
    #expect(
      try results(recovery).map { $0["reason"]?.string } == Array(repeating: nil, count: 6) + [
        "budget"
      ])
  }

  @Test("what fits into no answer is not asked for again")
  func tooLarge() throws {
    var recovery = recovery(["lobby", "team", "club"])
    recovery.add(group(nil))
    recovery.add(group([event]))
    // Too far behind: no answer has these events.
    recovery.add(group(nil, seq: 311))
    let found = try results(recovery)
    #expect(found.map { $0["recovered"]?.bool } == [false, true, false])
    #expect(found.allSatisfy { $0["reason"] == nil })
  }

  @Test("errors and empty results of 100 groups keep within the answer")
  func overhead() throws {
    let urls = (0..<100).map { String(repeating: "u", count: 97) + "\(100 + $0)" }
    var recovery = recovery(urls)
    recovery.add(group([[UInt8](repeating: UInt8(ascii: "7"), count: recovery.byteCount - 1)]))
    for url in urls.dropFirst() { recovery.add(.failure(.notFound(.channel, url))) }
    #expect(recovery.encoded().count < Limits.answerByteCount)
  }
}
