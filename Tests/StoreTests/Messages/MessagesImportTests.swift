import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Imported messages", .onEachDatabase, .onOwnThreads)
struct MessagesImportTests {
  private static let past: Int64 = 1_600_000_000_000

  private static func item(
    _ text: String, at time: Int64, dedup: String? = nil, by userID: String? = "ann"
  ) -> MessagesImport.Item {
    MessagesImport.Item(
      MigratedMessage(
        userID: userID, createdAt: past + time, dedupID: dedup,
        draft: MessageDraft(type: userID == nil ? .admin : .user, text: text)))
  }

  private static func texts(_ fixture: Fixture, at id: Int64 = 0) async throws -> [String] {
    let query = MessageQuery(
      channelID: fixture.lobby.id, anchor: id > 0 ? .message(id) : .time(0), previousLimit: 0,
      nextLimit: 100)
    return try await fixture.store.read { transaction in
      try transaction.listMessages(query) { PageItem($0.message.text, byteCount: 1) }.items
    }
  }

  private static func run(
    _ fixture: Fixture, _ items: [MessagesImport.Item]
  ) async throws -> (count: Int, ids: [Int64]) {
    let outcome = try await fixture.store.perform(MessagesImport(items, into: fixture.lobby.id))
    guard case .imported(let count, let ids) = outcome else {
      Issue.record("\(outcome)")
      return (0, [])
    }
    return (count, ids)
  }

  @Test("they come before, between and after others, in the order of time, and are no events")
  func order() async throws {
    let fixture = try await Fixture()
    let now = Self.past + 10_000
    try await fixture.store.append(
      fixture.message(ImportedMessageIDs.first(at: now), "live", at: now))
    let (count, ids) = try await Self.run(
      fixture, [Self.item("c", at: 20_000), Self.item("a", at: 0), Self.item("b", at: 0, by: nil)])
    #expect(count == 3 && ids[1] < ids[2] && ids[2] < ids[0])
    #expect(try await Self.texts(fixture) == ["a", "b", "live", "c"])
    let events = try await fixture.store.read { [lobby = fixture.lobby] in
      try #require(try $0.events(channelID: lobby.id, after: 0)).map(\.seq)
    }
    #expect(events == [1])
    let total = try await fixture.store.perform(MessageCount(channelID: fixture.lobby.id))
    #expect(total == 4)
    // The count of events continues.
    try await fixture.store.append(fixture.message(ids[0] + 9, "next", at: now + 90_000))
    // A place remains after its message was deleted.
    try await fixture.store.write { [lobby = fixture.lobby] in
      _ = try $0.deleteMessage(ids[2], channelID: lobby.id, at: now)
    }
    #expect(try await Self.texts(fixture, at: ids[2]) == ["live", "c", "next"])
  }

  @Test("a message with a known identifier is skipped, also after it was deleted")
  func once() async throws {
    let fixture = try await Fixture()
    let items = [
      Self.item("a", at: 0, dedup: "1"), Self.item("b", at: 0, dedup: "2"),
      Self.item("again", at: 5, dedup: "1"),
    ]
    let first = try await Self.run(fixture, items)
    #expect(first.count == 2 && first.ids[2] == first.ids[0])
    let second = try await Self.run(fixture, items + [Self.item("c", at: 9, dedup: "3")])
    #expect(second.count == 1 && second.ids.prefix(3) == first.ids[...])
    try await fixture.store.write { [lobby = fixture.lobby] in
      _ = try $0.deleteMessage(first.ids[0], channelID: lobby.id, at: Self.past)
    }
    #expect(try await Self.run(fixture, items).count == 0)
    #expect(try await Self.texts(fixture) == ["b", "c"])
    // The id of a deleted message is not used again.
    #expect(try await Self.run(fixture, [Self.item("d", at: 0)]).ids[0] > first.ids[1])
  }

  @Test("an unknown author refuses all messages; a deleted channel too")
  func refusals() async throws {
    let fixture = try await Fixture()
    let outcome = try await fixture.store.perform(
      MessagesImport(
        [Self.item("a", at: 0), Self.item("b", at: 0, by: "nobody-here")], into: fixture.lobby.id))
    #expect(outcome == .unknownUser(index: 1))
    #expect(try await Self.texts(fixture) == [])
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.perform(
        MessagesImport([Self.item("a", at: 0)], into: fixture.lobby.id + 9))
    }
  }

  @Test("many messages of one moment have different ids")
  func crowd() async throws {
    let fixture = try await Fixture()
    var ids: [Int64] = []
    for step in 0..<3 {
      ids += try await Self.run(fixture, (0..<100).map { Self.item("\(step) \($0)", at: 0) }).ids
    }
    #expect(Set(ids).count == 300 && ids == ids.sorted())
    let texts = try await Self.texts(fixture)
    #expect(texts.first == "0 0" && texts.count == 100)
  }

  @Test("searches find them, whether the index has passed their ids or not")
  func search() async throws {
    let fixture = try await Fixture()
    _ = try await Self.run(fixture, [Self.item("word one", at: 0)])
    try await fixture.index()
    _ = try await Self.run(fixture, [Self.item("word two", at: -9)])
    #expect(try await fixture.found("two").count == 1)
    try await fixture.indexAll()
    _ = try await Self.run(fixture, [Self.item("word three", at: -20)])
    #expect(try await fixture.found("word").count == 3)
    #expect(try await fixture.entries(of: "word") == 3)
    try await fixture.store.perform(SearchRestart())
    try await fixture.indexAll()
    let rows = try await fixture.found("word")
    #expect(rows == rows.sorted(by: >) && rows.count == 3)
  }

  @Test("searches list them among others by time, on pages in both orders")
  func searchOrder() async throws {
    let fixture = try await Fixture()
    try await fixture.indexAll()
    for time in [Int64(1_000), 2_000, 3_000] {
      let time = Self.past + time
      try await fixture.store.append(
        fixture.message(ImportedMessageIDs.first(at: time), "word live", at: time))
    }
    try await fixture.index()
    for times in [[1_500, 2_500, 500, 3_500], [1_500, 1_600], [2_700, 100, 600], [4_000]] {
      let items = times.map { Self.item("word", at: Int64($0)) }
      _ = try await Self.run(fixture, items)
      try await Self.expectOrder(fixture)
    }
    try await fixture.store.append(
      fixture.message(ImportedMessageIDs.first(at: Self.past + 5_000), "word", at: 5_000))
    try await fixture.index()
    try await Self.expectOrder(fixture, count: 14)
    // Those below the end of an index that is built are found at once, too.
    try await fixture.store.perform(SearchRestart())
    _ = try await fixture.store.perform(SearchIndexing(.old, limit: 5))
    _ = try await Self.run(fixture, [Self.item("word", at: 50), Self.item("word", at: 4_500)])
    #expect(try await fixture.found("word").count == 7)
    try await fixture.indexAll()
    try await Self.expectOrder(fixture, count: 16)
    #expect(try await fixture.entries(of: "word") == 16)
  }

  /// Expects that pages of a search list the messages of the channel in their order, each once.
  private static func expectOrder(_ fixture: Fixture, count: Int? = nil) async throws {
    let ids = try await fixture.store.read { transaction in
      try transaction.connection.all("SELECT message_id FROM messages ORDER BY message_id", []) {
        $0[0] as Int64
      }
    }
    if let count { #expect(ids.count == count) }
    for isReversed in [false, true] {
      var found: [Int64] = []
      var search = MessageSearch("word", isReversed: isReversed, limit: 2)
      repeat {
        let page = try await fixture.search(search)
        found += page.items
        search.token = page.next.isEmpty ? nil : page.next
      } while search.token != nil
      #expect(found == (isReversed ? ids : ids.reversed()))
    }
  }

  @Test("a page follows the one before when the index was built again between them")
  func rebuiltBetweenPages() async throws {
    let fixture = try await Fixture()
    for step in 0..<4 {
      _ = try await Self.run(
        fixture, (0..<5).map { Self.item("word", at: Int64($0 * 100 + step)) })
      try await fixture.indexAll()
    }
    let all = try await fixture.found("word")
    #expect(all.count == 20)
    var found: [Int64] = []
    var search = MessageSearch("word", limit: 3)
    repeat {
      let page = try await fixture.search(search)
      found += page.items
      search.token = page.next.isEmpty ? nil : page.next
      try await fixture.store.perform(SearchRestart())
      try await fixture.indexAll()
    } while search.token != nil
    #expect(found == all && all == all.sorted(by: >))
  }

  @Test("ids follow time, below those of messages that are sent")
  func ids() {
    let times: [Int64] = [
      0, 1, 999, 1_000, 100_000_000_000, 1_735_689_600_000, 1_738_367_999_999, 1_738_368_000_000,
      1_738_368_000_001, 1_790_000_000_000,
    ]
    let ids = times.map(ImportedMessageIDs.first)
    #expect(ids == ids.sorted() && Set(ids).count >= ids.count - 1 && ids[0] > 0)
    #expect(ids.allSatisfy { ImportedMessageIDs.seq(of: $0) < 0 })
    var choice = ImportedMessageIDs(from: [5, 5, 8])
    choice.exclude([6, 8])
    #expect(choice.ids == [5, 7, 9])
  }
}
