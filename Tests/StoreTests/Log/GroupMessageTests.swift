import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The contract of the log for messages of groups", .serialized, .onOwnThreads)
struct GroupMessageTests {
  private static func counted(_ message: UnsequencedMessage) -> UnsequencedMessage {
    var message = message
    message.isCounted = true
    return message
  }

  /// Appends messages, which count, to a group.
  private func append(
    _ messages: [UnsequencedMessage], to place: LogChannel, _ fixture: LogFixture
  ) async -> [LogResult] {
    await fixture.perform(messages.map { .write(.append(Self.counted($0)), place) })
  }

  private func ordinal(
    _ id: Int64, in place: LogChannel, _ fixture: LogFixture
  ) async throws -> Int64? {
    let message = await fixture.read(.message(id, channelID: place.id))?.message
    return try #require(message).message.ordinal
  }

  @Test(
    "ordinals have no gaps, whatever was refused, repeated or deleted", arguments: LogKind.allCases)
  func ordinals(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["bob"]).state?.place)
    var unfinished = await append(
      [
        fixture.message(1, requestID: "r"), fixture.message(2, requestID: "r"), fixture.message(1),
        fixture.message(3, "a\u{0}b"), fixture.message(4, by: nil),
      ], to: den, fixture)
    #expect(unfinished.map(\.appendedSeq) == [2, nil, nil, nil, 3])
    #expect(unfinished[1].repeatedSeq == 2)
    guard case .success(.repeated(let first)) = unfinished[1] else { return #expect(Bool(false)) }
    #expect(first.message.ordinal == 1)
    _ = await fixture.perform(.write(.delete(messageID: 4, at: 30), den))
    _ = await fixture.change(den, .freeze(true))
    unfinished = await append([fixture.message(5), fixture.message(6)], to: den, fixture)
    #expect(unfinished.map(\.appendedSeq) == [6, 7])
    for (id, expected) in [(1, 1), (5, 3), (6, 4)] as [(Int64, Int64)] {
      #expect(try await ordinal(id, in: den, fixture) == expected)
    }
    #expect(await fixture.state("den")?.lastOrdinal == 4)
    #expect(await fixture.perform(.takeOver(url: "den")).state?.lastOrdinal == 4)
    let missed = try #require(await fixture.read(.missed(den, after: 5))?.missed)
    #expect(missed.map(\.message?.ordinal) == [3, 4])
  }

  @Test("a message keeps its ordinal when it is changed", arguments: LogKind.allCases)
  func edits(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    _ = await append([fixture.message(1)], to: den, fixture)
    var edited = fixture.message(1, "edited").message
    edited.ordinal = 1
    _ = await fixture.perform(.write(.replace(edited, mentionedUserIDs: nil, at: 30), den))
    #expect(try await ordinal(1, in: den, fixture) == 1)
    #expect(await fixture.state("den")?.lastOrdinal == 1)
  }

  @Test("a deletion is read as the event that its members received", arguments: LogKind.allCases)
  func deletions(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(inviting: ["bob"]).state?.place)
    var messages = [
      fixture.message(1), fixture.message(2, by: nil), fixture.message(3), fixture.message(4),
      fixture.message(5),
    ].map(Self.counted)
    messages[0].mentionedUserIDs = ["bob"]
    messages[1].message.mentionType = .channel
    (messages[2].isCounted, messages[2].isSilent) = (false, true)
    messages[3].role = .exempt
    let results = await fixture.perform(messages.map { .write(.append($0), den) })
    let arrivals = results.compactMap(\.appendedSeq)
    try #require(arrivals.count == 5)
    var expected: [DurableEvent] = []
    for (message, arrival) in zip(messages, arrivals) {
      let id = message.message.id
      let stored = await fixture.read(.message(id, channelID: den.id))?.message
      var deletion = Event.Deletion(of: try #require(stored).message)
      deletion.arrival = arrival
      await fixture.delete(id, in: den)
      let seq = try #require(await fixture.state("den")?.lastSeq)
      expected.append(.deleted(deletion, seq: seq, timestamp: 900))
    }
    let last = try #require(arrivals.last)
    #expect(await fixture.read(.missed(den, after: last))?.missed == expected)
    let ordinals = expected.map { event -> Int64? in
      if case .deleted(let deletion, _, _) = event { deletion.ordinal } else { nil }
    }
    #expect(ordinals == [1, 2, 0, 3, 4])
  }

  @Test(
    "messages to groups and open channels share batches, not ordinals", arguments: LogKind.allCases,
    [20, 100])
  func mixedBatches(_ kind: LogKind, count: Int64) async throws {
    let fixture = try await LogFixture(kind)
    let places = [
      try #require(await fixture.create("g1").state?.place), fixture.lobby,
      try #require(await fixture.create("g2").state?.place),
    ]
    for round in 0..<2 {
      let entries = (Int64(round) * count..<Int64(round + 1) * count).map { number in
        let place = places[Int(number % 3)]
        let message = fixture.message(number + 1, requestID: "\(number)")
        return LogEntry.write(
          .append(place == fixture.lobby ? message : Self.counted(message)), place)
      }
      #expect(await fixture.perform(entries).allSatisfy { $0.appendedSeq != nil })
    }
    for (index, place) in places.enumerated() {
      let numbers = (0..<2 * count).filter { $0 % 3 == Int64(index) }
      let query = MessageQuery(
        channelID: place.id, anchor: .time(.max), previousLimit: 200, center: .excluded)
      guard case .page(let page)? = await fixture.list(query) else { return #expect(Bool(false)) }
      let expected: [Int64?] =
        place == fixture.lobby
        ? numbers.map { _ in nil } : numbers.indices.map { Int64($0) + 1 }
      #expect(page.items.map(\.id) == numbers.map { $0 + 1 })
      #expect(page.items.map(\.ordinal) == expected)
      #expect(
        await fixture.state(place.url)?.lastOrdinal
          == (place == fixture.lobby ? 0 : Int64(numbers.count)))
    }
  }

  @Test("a group is read as a member sees it", arguments: LogKind.allCases)
  func reading(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(
      await fixture.create(inviting: ["bob", "cy", "dan"]).state?.place)
    func read(
      since: Int64 = 0, by reader: String? = nil, limit: Int = 100
    ) async throws
      -> GroupReading
    {
      try #require(
        await fixture.read(
          .group(channelID: den.id, since: since, readerID: reader, memberLimit: limit))?.group)
    }
    #expect(try await read().lastMessage == nil)
    _ = await append([fixture.message(1, at: 100), fixture.message(2, at: 200)], to: den, fixture)
    _ = await fixture.perform(
      .write(
        .change(
          [.addOperators(["cy", "bob"]), .depart(["bob"], .left), .invite(["bob"], by: nil)],
          at: 300), den))
    let reading = try await read(since: 200, by: "cy")
    #expect(reading.lastMessage?.id == 2 && reading.lastMessage?.ordinal == 2)
    #expect(reading.own?.inviter == LogFixture.user("ann"))
    #expect(reading.own?.member == reading.members[0])
    #expect(reading.members.map(\.user.id) == ["cy", "bob", "ann", "dan"])
    #expect(reading.members[0].user.nickname == "Cy")
    let state = try #require(await fixture.state("den"))
    #expect(Set(reading.members) == Set(state.members))
    let short = try await read(since: 201, by: "nobody", limit: 2)
    #expect(
      short
        == GroupReading(
          lastMessage: nil, members: Array(reading.members[..<2]), own: nil, lastOrdinal: 2,
          lastSeq: state.lastSeq))
    #expect(try await read(since: 101, limit: 0).members == [])
    #expect(try await read(since: .max).lastMessage == nil)
    let nowhere = LogRead.group(channelID: 99, since: 0, readerID: nil, memberLimit: 5)
    #expect(
      await fixture.read(nowhere)?.group
        == GroupReading(lastMessage: nil, members: [], own: nil))
  }

  @Test("members who joined last come first after the operators", arguments: LogKind.allCases)
  func sampleOrder(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create(by: nil, inviting: ["cy", "dan"]).state?.place)
    for (id, time) in [("bob", 30), ("ann", 40)] as [(String, Int64)] {
      _ = await fixture.perform(
        .write(.change([.join(userID: id, visibleFrom: 0)], at: time), den))
    }
    func sample(_ limit: Int) async -> [String]? {
      let read = LogRead.group(
        channelID: den.id, since: 0, readerID: nil, memberLimit: limit)
      return await fixture.read(read)?.group?.members.map(\.user.id)
    }
    #expect(await sample(100) == ["ann", "bob", "cy", "dan"])
    #expect(await sample(3) == ["ann", "bob", "cy"])
    _ = await fixture.change(den, .addOperators(["dan"]))
    #expect(await sample(2) == ["dan", "ann"])
  }

  @Test("no message before a member's history is listed", arguments: LogKind.allCases)
  func history(_ kind: LogKind) async throws {
    let fixture = try await LogFixture(kind)
    let den = try #require(await fixture.create().state?.place)
    _ = await append((Int64(1)...9).map { fixture.message($0, at: $0) }, to: den, fixture)
    func page(
      _ anchor: MessageQuery.Anchor, _ previous: Int, _ next: Int
    ) async throws -> MessagePage<Message> {
      var query = MessageQuery(
        channelID: den.id, anchor: anchor, previousLimit: previous, nextLimit: next)
      query.visibleFrom = 4
      guard case .page(let page)? = await fixture.list(query) else {
        throw StoreError.notFound(.channel)
      }
      return page
    }
    let all = try await page(.time(.max), 100, 0)
    #expect(all.items.map(\.id) == Array(4...9) && all.previous == nil)
    let some = try await page(.message(6), 2, 2)
    #expect(some.items.map(\.id) == Array(4...8) && some.previous == nil && some.next != nil)
    #expect(try await page(.message(6), 1, 0).previous == MessageEdge(messageID: 5))
    // Around what is hidden, only what follows is shown.
    let hidden = try await page(.message(2), 5, 2)
    #expect(hidden.items.map(\.id) == [4, 5] && hidden.previous == nil)
    // An edge lies between visible messages.
    let nothing = try await page(.time(2), 0, 0)
    #expect(nothing.items.isEmpty && nothing.previous == nil)
    let edge = try #require(nothing.next)
    #expect(try await page(.message(edge.messageID), 0, 1).items.map(\.id).last == 4)
  }
}

extension DurableEvent {
  /// The message that was received.
  fileprivate var message: Message? {
    if case .received(let message, _) = self { message } else { nil }
  }
}
