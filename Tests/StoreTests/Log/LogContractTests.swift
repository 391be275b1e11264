import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The contract of the log", .serialized, .onOwnThreads)
struct LogContractTests {
  @Test("an entry is written as a whole or not at all", arguments: LogKind.allCases)
  func atomicity(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let refused = await fixture.write(
      .change(
        [.freeze(true), .fields(ChannelChanges(name: "n")), .addOperators(["nobody"])], at: 5))
    #expect(refused == .failure(.noUser("nobody")))
    let state = await fixture.read(.channel(url: "lobby"))?.state
    #expect(state?.channel.isFrozen == false)
    #expect(state?.channel.name == "")
    #expect(state?.lastSeq == 0)
    #expect(await fixture.read(.missed(fixture.lobby, after: 0))?.missed == [])
  }

  @Test(
    "an entry that fails affects no other entry, and takes no number", arguments: LogKind.allCases)
  func isolation(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let results = await fixture.write(
      .append(fixture.message(1)), .append(fixture.message(1)), .delete(messageID: 9, at: 5),
      .replace(fixture.message(8).message, mentionedUserIDs: nil, at: 5),
      .append(fixture.message(2, "a\u{0}b")), .append(fixture.message(3)))
    #expect(results.map(\.appendedSeq) == [1, nil, nil, nil, nil, 2])
    #expect(
      results.map(\.error) == [
        nil, .exists, .missing(.message), .missing(.message), .unstorableText, nil,
      ])
    #expect(await fixture.read(.channel(url: "lobby"))?.state?.lastSeq == 2)
  }

  @Test("entries are answered in the order of submission", arguments: LogKind.allCases)
  func order(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let before = fixture.answered.count
    let entries = (Int64(1)...50).map { id in
      LogEntry.write(
        id.isMultiple(of: 3)
          ? .relay(fixture.message(id))
          : id.isMultiple(of: 7)
            ? .read(.message(id - 1, channelID: fixture.lobby.id)) : .append(fixture.message(id)),
        fixture.lobby)
    }
    let results = await fixture.perform(entries)
    #expect(fixture.answered.dropFirst(before) == fixture.answered.dropFirst(before).sorted()[...])
    let seqs = results.compactMap(\.appendedSeq)
    #expect(seqs == Array(1...Int64(seqs.count)))
  }

  @Test("entries submitted together are not interleaved with others", arguments: LogKind.allCases)
  func batches(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let runs = await withTaskGroup(of: [Int64].self) { group in
      for run in Int64(0)..<8 {
        group.addTask {
          let entries = (Int64(1)...20).map {
            LogEntry.write(.append(fixture.message(run * 100 + $0)), fixture.lobby)
          }
          return await fixture.perform(entries).compactMap(\.appendedSeq)
        }
      }
      return await group.reduce(into: [[Int64]]()) { $0.append($1) }
    }
    for run in runs { #expect(run == Array(run[0]..<run[0] + 20)) }
    #expect(runs.flatMap(\.self).sorted() == Array(1...160))
  }

  @Test("messages and other events share one count without gaps", arguments: LogKind.allCases)
  func sequence(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let ban = Restriction(userID: "bob", startsAt: 5, endsAt: 65_005, description: "spam")
    let results = await fixture.write(
      .append(fixture.message(1)), .change([.freeze(true), .freeze(true)], at: 5),
      .relay(fixture.message(2)),
      .change([.restrict(.ban, ban), .lift(.mute, userID: "bob")], at: 5),
      .delete(messageID: 1, at: 6), .append(fixture.message(3)))
    #expect(results[0].appendedSeq == 1)
    #expect(results[1].changes == [.made(seq: 2), .unchanged])
    #expect(results[2] == .success(.relayed(mentionedUsers: [])))
    #expect(results[3].changes == [.user(User(id: "bob", nickname: "Bob"), seq: 3), .unchanged])
    #expect(results[4] == .success(.deleted(seq: 4)))
    #expect(results[5].appendedSeq == 5)
    let missed = await fixture.read(.missed(fixture.lobby, after: 0))?.missed
    #expect(missed?.map(\.seq) == [2, 3, 4, 5])
  }

  @Test("acknowledged events are read, and none of another channel", arguments: LogKind.allCases)
  func visibility(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    var message = fixture.message(7, "caf\u{E9} \u{1}")
    message.mentionedUserIDs = ["cy", "nobody", "bob", "cy"]
    message.message.metaArrays = [MetaArray(key: "k", values: ["b", "a"])]
    let mentioned = [User(id: "cy", nickname: "Cy"), User(id: "bob", nickname: "Bob")]
    #expect(
      await fixture.write(.append(message))
        == .success(.appended(seq: 1, mentionedUsers: mentioned)))
    var expected = message.message
    expected.mentionedUsers = mentioned
    #expect(
      await fixture.read(.message(7, channelID: fixture.lobby.id))?.message
        == SequencedMessage(message: expected, seq: 1))
    #expect(await fixture.read(.message(7, channelID: 99)) == .message(nil))
  }

  @Test("a read among entries sees only the entries before it", arguments: LogKind.allCases)
  func orderedReads(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let read = LogOperation.read(.channel(url: "lobby"))
    let results = await fixture.write(
      read, .append(fixture.message(1)), read, .append(fixture.message(2)), read)
    #expect(results.map(\.reading?.state?.lastSeq) == [0, nil, 1, nil, 2])
  }

  @Test("a repeated request is answered with its current message", arguments: LogKind.allCases)
  func repeats(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    _ = await fixture.write(.append(fixture.message(1, "one", requestID: "r", at: 1_000_000)))
    var edited = fixture.message(1, "two", requestID: "r", at: 1_000_000).message
    edited.updatedAt = 1_000_005
    _ = await fixture.write(.replace(edited, mentionedUserIDs: nil, at: 1_000_005))
    let results = await fixture.write(
      .append(fixture.message(2, requestID: "r", at: 1_599_999)),
      .append(fixture.message(3, by: "bob", requestID: "r", at: 1_599_999)),
      .append(fixture.message(4, by: nil, requestID: "r", at: 1_599_999)),
      .append(fixture.message(5, requestID: "R", at: 1_599_999)),
      .append(fixture.message(6, requestID: "r", at: 1_600_000)))
    #expect(results[0] == .success(.repeated(SequencedMessage(message: edited, seq: 1))))
    #expect(results.dropFirst().map(\.appendedSeq) == [3, 4, 5, 6])
    let since = Int64(1_599_999) - requestIDLifetimeMilliseconds
    let found = await fixture.read(
      .request("r", userID: nil, channelID: fixture.lobby.id, since: since))
    #expect(found?.message?.message.id == 4)
  }

  @Test(
    "a repeated request whose message was deleted does not restore it", arguments: LogKind.allCases)
  func withdrawals(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let id = fixture.lobby.id
    let results = await fixture.write(
      .append(fixture.message(1, requestID: "r", at: 1_000_000)),
      .delete(messageID: 1, at: 1_000_001),
      .append(fixture.message(2, requestID: "r", at: 1_000_002)),
      .append(fixture.message(3, requestID: "r", at: 1_600_000)))
    #expect(results[2] == .success(.withdrawn))
    #expect(results[3].appendedSeq == 3)
    #expect(
      await fixture.read(.request("q", userID: "ann", channelID: id, since: 0)) == .message(nil))
    #expect(
      await fixture.read(.request("r", userID: "ann", channelID: id, since: 0))?.message?.message.id
        == 3)
  }

  @Test(
    "an imported message is stored once per request ID and time",
    arguments: LogKind.allCases)
  func imports(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    func past(
      _ number: Int64, by userID: String? = "ann", _ requestID: String = "r", at time: Int64
    ) -> UnsequencedMessage {
      var message = fixture.message(number, by: userID, requestID: requestID, at: time)
      message.role = .imported
      message.mayBeRepeated = true
      return message
    }
    let first = past(1, at: 1_000_000)
    let imported = await fixture.write(
      .append(first), .append(past(2, by: nil, at: 1_000_000)),
      .append(past(3, by: "bob", at: 1_000_000)), .append(past(4, "s", at: 1_000_000)),
      .append(past(5, at: 5_000_000)))
    #expect(imported.map(\.appendedSeq) == [1, 2, 3, 4, 5])
    // Messages of now have the requests of old ones removed.
    _ = await fixture.perform(
      (Int64(100)..<1_200).map { number -> LogEntry in
        let message = fixture.message(number, requestID: "\(number)", at: 50_000_000)
        return .write(.append(message), fixture.lobby)
      })
    let repeated = await fixture.write(
      .append(past(11, at: 1_000_000)), .append(past(12, by: nil, at: 1_000_000)),
      .append(past(13, at: 5_000_000)))
    #expect(repeated[0] == .success(.repeated(SequencedMessage(message: first.message, seq: 1))))
    #expect(repeated.map(\.repeatedSeq) == [1, 2, 5])
    func read(_ name: String, _ userID: String?, at time: Int64) async -> Int64? {
      let read = LogRead.imported(
        name, userID: userID, channelID: fixture.lobby.id, createdAt: time)
      return await fixture.read(read)?.message?.seq
    }
    #expect(await read("r", "ann", at: 1_000_000) == 1)
    #expect(await read("r", "ann", at: 5_000_000) == 5)
    #expect(await read("r", nil, at: 1_000_000) == 2)
    #expect(await read("s", "ann", at: 1_000_000) == 4)
    #expect(await read("r", "ann", at: 1_000_001) == nil)
    #expect(await read("q", "ann", at: 1_000_000) == nil)
    #expect(await read("r", "cy", at: 1_000_000) == nil)
  }

  @Test("a write with an old term changes nothing", arguments: LogKind.allCases)
  func fences(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    _ = await fixture.write(.append(fixture.message(1)))
    let taken = await fixture.perform(.takeOver(url: "lobby")).state
    #expect(taken?.lastSeq == 1)
    #expect(taken.map { $0.term > fixture.lobby.term } == true)
    let results = await fixture.write(
      .append(fixture.message(2)), .delete(messageID: 1, at: 5), .change([.freeze(true)], at: 5),
      .replace(fixture.message(1, "x").message, mentionedUserIDs: nil, at: 5), .remove(at: 5),
      .relay(fixture.message(3)))
    #expect(results.map(\.error) == Array(repeating: .fenced, count: 6))
    let state = try #require(await fixture.read(.channel(url: "lobby"))?.state)
    #expect(state == taken)
    let append = LogEntry.write(.append(fixture.message(4)), state.place)
    #expect(await fixture.perform(append).appendedSeq == 2)
    #expect(await fixture.perform(.takeOver(url: "none")) == .success(.absent))
  }

  @Test("a log that lost events does not reuse their numbers", arguments: LogKind.allCases)
  func lostEvents(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    _ = await fixture.write(.append(fixture.message(1)))
    let places = await fixture.read(.places([fixture.lobby.id, 4_711]))
    guard case .places(let found)? = places else { return #expect(Bool(false)) }
    var place = fixture.lobby
    place.lastSeq = 1
    #expect(found == [place])
    // The judge was told of a second event that is not there any more.
    place.lastSeq = 2
    let late = await fixture.perform([
      .write(.append(fixture.message(2)), place), .write(.change([.freeze(true)], at: 5), place),
    ])
    #expect(late.map(\.error) == [.fenced, .fenced])
    let state = await fixture.read(.channel(url: "lobby"))?.state
    #expect(state?.lastSeq == 1 && state?.channel.isFrozen == false)
    func epoch(after renewal: EpochRenewal) async -> String? {
      await fixture.perform(.takeOver(url: "lobby", renewal: renewal)).state?.epoch
    }
    #expect(await epoch(after: EpochRenewal(epoch: "first", seq: 1, next: "x")) == "first")
    #expect(await epoch(after: EpochRenewal(epoch: "other", seq: 2, next: "x")) == "first")
    #expect(await epoch(after: EpochRenewal(epoch: "first", seq: 2, next: "second")) == "second")
    #expect(await epoch(after: EpochRenewal(epoch: "first", seq: 2, next: "third")) == "second")
  }

  @Test(
    "a recreated channel has another ID and starts at 1", arguments: LogKind.allCases)
  func epochs(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let channel = Channel(url: "lobby", createdAt: 9)
    #expect(await fixture.perform(.create(channel, epoch: "x")) == .failure(.exists))
    _ = await fixture.write(.append(fixture.message(1)))
    #expect(await fixture.write(.remove(at: 8)) == .success(.removed(seq: 2)))
    #expect(await fixture.read(.channel(url: "lobby")) == .channel(nil))
    #expect(await fixture.read(.message(1, channelID: fixture.lobby.id)) == .message(nil))
    let again = try #require(await fixture.perform(.create(channel, epoch: "second")).state)
    #expect(again.epoch == "second")
    #expect(again.id != fixture.lobby.id)
    #expect(await fixture.write(.append(fixture.message(2))).error == .missing(.channel))
    let append = LogEntry.write(.append(fixture.message(3)), again.place)
    #expect(await fixture.perform(append).appendedSeq == 1)
  }

  @Test("changed channel settings are read back", arguments: LogKind.allCases)
  func settings(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let mute = Restriction(userID: "cy", startsAt: 5, endsAt: 9_005, description: "d")
    let results = await fixture.write(
      .change([.fields(ChannelChanges(name: "n")), .addOperators(["bob", "ann", "bob"])], at: 5),
      .change([.removeOperators(["cy"]), .keepOperators(["ann", "cy"])], at: 5),
      .change([.restrict(.mute, mute)], at: 5))
    let (ann, bob) = (User(id: "ann", nickname: "Ann"), User(id: "bob", nickname: "Bob"))
    #expect(results[0].changes == [.made(seq: 1), .operators([bob, ann], seq: 2)])
    #expect(results[1].changes == [.unchanged, .operators([ann], seq: 3)])
    let state = await fixture.read(.channel(url: "lobby"))?.state
    #expect(state?.channel.name == "n")
    #expect(state?.channel.operators == [ann])
    #expect(state?.mutes == ["cy": mute])
    let lifted = await fixture.write(.change([.lift(.mute, userID: "cy")], at: 6))
    #expect(lifted.changes == [.user(User(id: "cy", nickname: "Cy"), seq: 5)])
    #expect(
      await fixture.write(.change([.lift(.mute, userID: "nobody")], at: 6)).error
        == .noUser("nobody"))
  }

  @Test("missed events are returned completely, or not at all", arguments: LogKind.allCases)
  func missed(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    var edited = fixture.message(2, "edited").message
    edited.updatedAt = 50
    _ = await fixture.write(
      .append(fixture.message(1)), .append(fixture.message(2)),
      .replace(edited, mentionedUserIDs: nil, at: 50), .delete(messageID: 1, at: 60),
      .append(fixture.message(3, String(repeating: "x", count: 5_000))))
    let events = await fixture.read(.missed(fixture.lobby, after: 1))?.missed
    #expect(
      events == [
        .received(edited, seq: 2), .updated(edited, seq: 3, timestamp: 50),
        .deleted(Event.Deletion(messageID: 1), seq: 4, timestamp: 60),
        .received(
          fixture.message(3, String(repeating: "x", count: 5_000)).message, seq: 5),
      ])
    #expect(await fixture.read(.missed(fixture.lobby, after: 5)) == .missed([]))
    for position in [Int64(-1), 6] {
      #expect(await fixture.read(.missed(fixture.lobby, after: position)) == .missed(nil))
    }
    #expect(await fixture.read(.missed(fixture.lobby, after: 4, byteLimit: 4_999)) == .missed(nil))
    _ = await fixture.perform(
      (Int64(10)..<Int64(10) + EventLog.recoverableCount).map {
        .write(.append(fixture.message($0)), fixture.lobby)
      })
    #expect(await fixture.read(.missed(fixture.lobby, after: 4)) == .missed(nil))
    let most = await fixture.read(.missed(fixture.lobby, after: 5))?.missed
    #expect(most?.count == Int(EventLog.recoverableCount))
  }

  @Test(
    "the last updates before a position come with the missed events", arguments: LogKind.allCases)
  func recentUpdates(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    func edit(_ id: Int64, _ text: String, at time: Int64) -> LogOperation {
      .replace(fixture.message(id, text).message, mentionedUserIDs: nil, at: time)
    }
    _ = await fixture.write(
      .append(fixture.message(1)), .append(fixture.message(2)), edit(1, "old", at: 2_000),
      edit(2, "a", at: 9_500), edit(2, "b", at: 10_000), .append(fixture.message(3, at: 10_100)))
    let events = await fixture.read(
      .missed(
        channelID: fixture.lobby.id, after: 5, byteLimit: .max, updatesWithin: 1_000))?.missed
    #expect(events?.map(\.seq) == [5, 6])
  }

  @Test("pages are read in both directions from a position", arguments: LogKind.allCases)
  func pages(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    _ = await fixture.perform(
      (Int64(1)...9).map { .write(.append(fixture.message($0, at: $0)), fixture.lobby) })
    var query = MessageQuery(
      channelID: fixture.lobby.id, anchor: .message(5), previousLimit: 2, nextLimit: 3)
    guard case .page(let page)? = await fixture.list(query) else {
      Issue.record("no page")
      return
    }
    #expect(page.items.map(\.id) == [3, 4, 5, 6, 7, 8])
    #expect(page.previous == MessageEdge(messageID: 3))
    #expect(page.next == MessageEdge(messageID: 8))
    query.channelID = 99
    #expect(await fixture.list(query) == nil)
  }

  @Test(
    "users are returned as they are, and flood windows as they were", arguments: LogKind.allCases)
  func users(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    #expect(
      await fixture.read(.users(["cy", "none", "ann", "cy"]))
        == .users([User(id: "cy", nickname: "Cy"), User(id: "ann", nickname: "Ann")]))
    _ = await fixture.write(
      .append(fixture.message(1, at: 10)), .append(fixture.message(2, by: nil, at: 20)),
      .append(fixture.message(3, by: "bob", at: 30)), .append(fixture.message(4, at: 40)))
    #expect(
      await fixture.read(.sends(channelID: fixture.lobby.id, after: 10, limit: 5))
        == .sends([
          RecentSend(userID: "bob", createdAt: 30), RecentSend(userID: "ann", createdAt: 40),
        ]))
    #expect(
      await fixture.read(.sends(channelID: fixture.lobby.id, after: 0, limit: 1))
        == .sends([RecentSend(userID: "ann", createdAt: 40)]))
    // A deleted message was sent all the same; that of nobody was not limited.
    _ = await fixture.write(
      .delete(messageID: 3, at: 50), .delete(messageID: 2, at: 50), .delete(messageID: 1, at: 60))
    #expect(
      await fixture.read(.sends(channelID: fixture.lobby.id, after: 10, limit: 5))
        == .sends([
          RecentSend(userID: "bob", createdAt: 30), RecentSend(userID: "ann", createdAt: 40),
        ]))
    #expect(
      await fixture.read(.sends(channelID: fixture.lobby.id, after: 0, limit: 2))
        == .sends([
          RecentSend(userID: "bob", createdAt: 30), RecentSend(userID: "ann", createdAt: 40),
        ]))
  }

  @Test(
    "a message exempt from a flood window is exempt later", arguments: LogKind.allCases)
  func floodExemption(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    var exempt = (fixture.message(1, at: 10), fixture.message(2, at: 20))
    exempt.0.role = .exempt
    exempt.1.role = .imported
    _ = await fixture.write(
      .append(exempt.0), .append(exempt.1), .append(fixture.message(3, at: 30)),
      .delete(messageID: 2, at: 40))
    #expect(
      await fixture.read(.sends(channelID: fixture.lobby.id, after: 0, limit: 5))
        == .sends([RecentSend(userID: "ann", createdAt: 30)]))
  }
}

extension LogRead {
  static func missed(
    _ channel: LogChannel, after seq: Int64, byteLimit: Int64 = .max
  ) -> LogRead {
    .missed(channelID: channel.id, after: seq, byteLimit: byteLimit, updatesWithin: nil)
  }
}
