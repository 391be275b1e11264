import ParleyProtocol
import Testing

@testable import ParleyClient

@Suite("Missed events of a group")
struct GroupRecoveryTests {
  private let core = ClientCore(bufferedEvents: 20)

  private func results(_ answer: String) throws -> [GroupRecoveryResult] {
    try core.groupCalls.recover([]).read(AnswerReader.document(answer.json))
  }

  private func receive(_ id: Int64, seq: Int64) {
    core.receive("message.received", message(id, seq: seq))
  }

  private func message(_ id: Int64, seq: Int64) -> String {
    #"{"channel_url":"trip","seq":\#(seq),"ts":50,"message":\#(Sample.message(id: id, text: "\(id)"))}"#
  }

  private func recovered(
    _ seqs: ClosedRange<Int64>, epoch: String = "e"
  ) throws
    -> [GroupRecoveryResult]
  {
    let events = seqs.map {
      #"{"jsonrpc":"2.0","method":"message.received","params":\#(message(100 + $0, seq: $0))}"#
    }
    return try results(
      #"{"results":[{"channel_url":"trip","epoch":"\#(epoch)","seq":\#(seqs.upperBound),"recovered":true,"events":[\#(events.joined(separator: ","))]}]}"#
    )
  }

  /// The ids of received messages, and what else was reported.
  private func heard(_ count: Int, _ events: ParleyEvents<GroupChannelEvent>) async -> [String] {
    var heard: [String] = []
    var iterator = events.makeAsyncIterator()
    while heard.count < count, let event = await iterator.next() {
      switch event {
      case .messageReceived(let message): heard.append(String(message.messageID))
      case .recovered(let count): heard.append("recovered \(count)")
      case .eventsLost: heard.append("lost")
      default: heard.append("other")
      }
    }
    return heard
  }

  @Test("is requested from the position of each group, and read in parts")
  func written() throws {
    let group = try core.knownGroup()
    #expect(
      params(core.groupCalls.recover([group]))
        == #"{"channels":[{"channel_url":"trip","epoch":"e","seq":4}]}"#)
    let results = try results(
      #"""
      {"results":[{"channel_url":"a","epoch":"e","seq":3,"recovered":false,"events":[]},
        {"channel_url":"b","epoch":"e","seq":3,"recovered":false,"reason":"budget","events":[]},
        {"channel_url":"c","error":{"code":400201,"message":"x","data":{}}}]}
      """#)
    #expect(results.map(\.url) == ["a", "b", "c"])
    for (result, hasRoom) in zip(results, [true, false, true]) {
      switch result.outcome {
      case .recovered: Issue.record("nothing was recovered")
      case .noRoom: #expect(!hasRoom)
      case .unavailable: #expect(hasRoom)
      }
    }
    for answer in [
      "{}", #"{"results":[{}]}"#, #"{"results":[{"channel_url":"a","recovered":true}]}"#,
    ] {
      #expect(throws: ParleyError.self) { try self.results(answer) }
    }
  }

  @Test("comes before the events that arrive meanwhile, each once and in order")
  func order() async throws {
    let group = try core.knownGroup()
    let events = group.events
    group.state.holdEvents()
    receive(107, seq: 7)
    receive(108, seq: 8)
    #expect(core.take(try recovered(5...7), of: [group]).isEmpty)
    receive(109, seq: 9)
    #expect(await heard(6, events) == ["105", "106", "107", "recovered 3", "108", "109"])
  }

  @Test("is not delivered again when an event also arrives after the answer")
  func repetition() async throws {
    let group = try core.knownGroup()
    let events = group.events
    group.state.holdEvents()
    _ = core.take(try recovered(5...7), of: [group])
    receive(106, seq: 6)
    _ = core.group(try core.groupProperties(Sample.group(seq: 7)))
    receive(107, seq: 7)
    receive(108, seq: 8)
    #expect(await heard(5, events) == ["105", "106", "107", "recovered 3", "108"])
  }

  @Test("has updates that the server held back until after later events")
  func heldBack() async throws {
    let group = try core.knownGroup()
    let events = group.events
    receive(105, seq: 5)
    // A call of the client explains the missing number.
    group.state.note(try #require(group.lastMessage), seq: nil)
    receive(107, seq: 7)
    group.state.holdEvents()
    let update = message(105, seq: 6)
    let answer = try results(
      #"{"results":[{"channel_url":"trip","epoch":"e","seq":7,"recovered":true,"events":[{"jsonrpc":"2.0","method":"message.updated","params":\#(update)}]}]}"#
    )
    _ = core.take(answer, of: [group])
    receive(108, seq: 8)
    #expect(await heard(4, events) == ["105", "107", "other", "108"])
  }

  @Test("is requested when numbers are missing, unless the client's own calls explain that")
  func gaps() throws {
    let group = try core.knownGroup()
    receive(105, seq: 5)
    #expect(!group.state.view.holdsEvents)
    group.state.note(try #require(group.lastMessage), seq: nil)
    receive(107, seq: 7)
    #expect(!group.state.view.holdsEvents && group.state.view.position?.reached == 7)
    group.state.note(try #require(group.lastMessage), seq: 8)
    receive(109, seq: 9)
    #expect(group.state.view.position?.reached == 9)
    receive(112, seq: 12)
    #expect(group.state.view.position?.reached == 9 && group.lastMessage?.messageID != 112)
  }

  @Test("continues from the known position when the group was read meanwhile")
  func readMeanwhile() async throws {
    let group = try core.knownGroup()
    let events = group.events
    core.loseGroupEvents()
    group.state.holdEvents()
    // The answer to a call from before the cut, which was repeated after it.
    _ = core.group(try core.groupProperties(Sample.group(seq: 7)))
    try #require(group.state.view.position?.reached == 4)
    _ = core.take(try recovered(5...7), of: [group])
    receive(108, seq: 8)
    #expect(await heard(5, events) == ["105", "106", "107", "recovered 3", "108"])
  }

  @Test("of another epoch is not delivered")
  func epoch() throws {
    let group = try core.knownGroup()
    group.state.holdEvents()
    _ = core.take(try recovered(5...6, epoch: "f"), of: [group])
    #expect(group.state.view.holdsEvents && group.state.view.position?.reached == 4)
  }

  @Test("of groups without room is requested again")
  func budget() throws {
    let group = try core.knownGroup()
    let answer = try results(
      #"{"results":[{"channel_url":"trip","epoch":"e","seq":9,"recovered":false,"reason":"budget","events":[]}]}"#
    )
    #expect(core.take(answer, of: [group]) == [group])
  }

  @Test("totals over all groups are an event")
  func totals() async throws {
    var events = core.streams.events().makeAsyncIterator()
    core.receive(
      "group.totals",
      #"""
      {"ts":1,"unread_message_count":4,"unread_mention_count":1,"unread_channel_count":2,"invitation_count":1,"by_custom_type":
        {"t":{"unread_message_count":3,"unread_mention_count":0,"unread_channel_count":1,"invitation_count":0}}}
      """#)
    guard case .unreadTotalsChanged(let totals) = await events.next() else {
      Issue.record("the totals are not reported")
      return
    }
    #expect(totals.unreadMessageCount == 4 && totals.unreadChannelCount == 2)
    #expect(totals.unreadMentionCount == 1 && totals.invitationCount == 1)
    #expect(totals.byCustomType["t"]?.unreadMessageCount == 3 && totals.byCustomType.count == 1)
    #expect(params(GroupCalls.watchTotals(true)) == #"{"on":true}"#)
  }
}
