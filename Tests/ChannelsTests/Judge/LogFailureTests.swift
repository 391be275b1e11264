import FloodControl
import LinkPreview
import ParleyProtocol
import Testing

@testable import Channels

@Suite("The judge: failures of the log")
struct LogFailureTests {
  /// Errors after which nothing of an entry is there.
  static let errors: [LogError] = [
    .unavailable("disk full"), .overloaded, .closed, .damaged("a row"), .fenced,
  ]

  private var rig: JudgeRig
  private let id: Int64

  init() throws {
    rig = try JudgeRig()
    id = try #require(
      try rig.perform(.send("x", metaArrays: [MetaArray(key: "k")]), by: "ann").sent
    ).message.id
    rig.events = []
  }

  private var commands: [ChannelCommand] {
    [
      .send("y"), .updateMessage(id, MessageChanges(text: "y")), .deleteMessage(id),
      .changeMetaArrays(ofMessage: id, .createKeys(["l"])), .freeze, .mute("ben"), .ban("ben"),
      .addOperators(["ann"]), .removeOperators(["boss"]), .unban(userID: "ben"),
      .update(ChannelFields(name: "n", operatorIDs: ["ann"])), .delete,
    ]
  }

  /// Gives a command, and lets the log fail to write it.
  private mutating func fail(_ command: ChannelCommand, _ error: LogError) -> JudgeRig.Outcome? {
    let call = rig.begin(command, by: .participant("boss"))
    while case .read? = rig.requests.first { rig.answerNext() }
    rig.failNext(error)
    return rig.answers[call]
  }

  @Test(
    "a failed entry gets an error response, changes nothing and is not published",
    arguments: errors)
  mutating func nothing(error: LogError) throws {
    let before = rig.channel
    for command in commands {
      let outcome = try #require(fail(command, error))
      #expect(outcome.code == .internalError && outcome.error?.data.outcome == nil)
    }
    #expect(rig.events.isEmpty && rig.isIdle && rig.channel == before)
    let check = rig.sendCheck(of: "boss", at: rig.now)
    #expect(check.sends.used == 0 && check.changes.used == 0 && check.refusals.isEmpty)
  }

  @Test("after a failure the channel continues with the next number")
  mutating func goesOn() throws {
    for command in commands { _ = fail(command, .unavailable("")) }
    #expect(try rig.perform(.send("y"), by: "ann").sent?.seq == 2)
    #expect(try rig.perform(.freeze, by: "boss").channel?.isFrozen == true)
    #expect(rig.events.map(\.seq) == [2, 3])
  }

  @Test("a judge that was replaced releases the channel, whatever it was writing")
  mutating func fenced() throws {
    for command in commands {
      rig.others = []
      _ = fail(command, .fenced)
      guard case .release? = rig.others.last else { return #expect(Bool(false), "\(command)") }
    }
  }

  @Test("other failures do not release the channel")
  mutating func keeps() throws {
    for error in Self.errors where error != .fenced {
      for command in commands { _ = fail(command, error) }
    }
    #expect(rig.others.isEmpty)
  }

  @Test("each of several sends gets its own result, however it ends")
  mutating func severalSends() throws {
    let calls = (0..<4).map { rig.begin(.send("\($0)"), by: .participant("ann")) }
    rig.failNext(.unavailable(""))
    rig.answerNext()
    rig.failNext(.overloaded)
    rig.answerNext()
    #expect(
      calls.map { rig.answers[$0]?.code } == [.internalError, nil, .internalError, nil])
    #expect(rig.events.map(\.seq) == [2, 3] && rig.tally.failed == 2)
    #expect(rig.sendCheck(of: "ann", at: rig.now).sends.used == 3)
  }

  @Test("waiting operations are judged again after one that failed")
  mutating func operations() throws {
    let calls = [ChannelCommand.freeze, .freeze, .unfreeze].map { rig.begin($0, by: .platform) }
    rig.failNext(.unavailable(""))
    rig.answerAll()
    #expect(rig.answers[calls[0]]?.code == .internalError)
    #expect(rig.answers[calls[1]]?.channel?.isFrozen == true)
    #expect(rig.answers[calls[2]]?.channel?.isFrozen == false)
    #expect(rig.events.map(\.method) == ["channel.frozen", "channel.unfrozen"])
  }

  @Test("waiting changes of one message are judged by the message as it is read again")
  mutating func changes() throws {
    let first = rig.begin(.updateMessage(id, MessageChanges(data: "d")), by: .participant("ann"))
    let second = rig.begin(.updateMessage(id, MessageChanges(text: "t")), by: .participant("ann"))
    rig.answerNext()
    rig.failNext(.unavailable(""))
    guard case .read? = rig.requests.first else { return #expect(Bool(false)) }
    rig.answerAll()
    #expect(rig.answers[first]?.code == .internalError)
    let changed = rig.answers[second]?.changed
    #expect(changed?.text == "t" && changed?.data == "")
  }

  @Test("a failed deletion leaves the channel unchanged")
  mutating func deletion() throws {
    let call = rig.begin(.delete, by: .participant("boss"))
    let behind = rig.begin(.freeze, by: .participant("boss"))
    rig.failNext(.unavailable(""))
    rig.answerAll()
    #expect(rig.answers[call]?.code == .internalError)
    #expect(rig.answers[behind]?.channel?.isFrozen == true)
    #expect(try rig.perform(.send("y"), by: "boss").sent?.seq == 3)
  }

  @Test("a channel that the log no longer has is reported as not found")
  mutating func missingChannel() throws {
    _ = rig.contents.perform(.write(.remove(at: rig.now), rig.place))
    for command in [ChannelCommand.send("y"), .freeze] {
      let error = try #require(try rig.perform(command, by: "boss").error)
      #expect(error.code == .notFound && error.data.field == "channel_url")
    }
  }

  @Test("a log result of the wrong kind is an internal error, and leaves nothing waiting")
  mutating func unexpected() throws {
    for command in commands {
      let call = rig.begin(command, by: .participant("boss"))
      while case .read? = rig.requests.first { rig.answerNext() }
      guard case .entry(let id, _) = rig.requests.removeFirst() else { return }
      rig.handle(.logged(id, .success(.absent)))
      #expect(rig.answers[call]?.code == .internalError)
    }
    #expect(rig.events.isEmpty && rig.isIdle)
    #expect(rig.sendCheck(of: "boss", at: rig.now).changes.used == 0)
  }

  @Test("a read result of the wrong kind is an internal error for changes, not found for viewers")
  mutating func unexpectedReads() throws {
    let change = rig.begin(
      .updateMessage(id, MessageChanges(text: "y")), by: .participant("ann"))
    let view = rig.begin(.viewMessage(id), by: .participant("ann"))
    for _ in 0..<2 {
      guard case .read(let entry, _) = rig.requests.removeFirst() else { return }
      rig.handle(.logged(entry, .success(.absent)))
    }
    #expect(rig.answers[change]?.code == .internalError)
    #expect(rig.answers[view]?.code == .notFound && rig.isIdle)
  }

  @Test("log results for unknown entries change nothing")
  mutating func unasked() throws {
    let results: [LogResult] = [
      .success(.appended(seq: 9, mentionedUsers: [])), .success(.deleted(seq: 9)),
      .failure(.unavailable("")), .success(.changed([], rig.channel)),
    ]
    for result in results {
      for entry in [EntryID.send(7), .change(7), .operation, .view(7), .repetition(7)] {
        rig.handle(.logged(entry, result))
      }
    }
    #expect(rig.events.isEmpty && rig.isIdle && rig.others.isEmpty)
    #expect(try rig.perform(.send("y"), by: "ann").sent?.seq == 2)
  }

  @Test("an error for too many queries of a user says when to retry")
  mutating func tooManyQueries() throws {
    let call = rig.begin(.viewMessage(id), by: .participant("ann"))
    rig.failNext(.tooManyQueries(limit: 3))
    let error = try #require(rig.answers[call]?.error)
    #expect(error.code == .rateLimited && error.data.limit == 3 && error.data.scope == "queries")
    #expect(error.data.retryAfterMilliseconds == 1_000)
  }
}
