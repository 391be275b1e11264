import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("The index of search", .onEachDatabase, .onOwnThreads)
struct SearchIndexingTests {
  @Test("older messages are added newest first, some at a time, also after a restart")
  func builds() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...7 { try await fixture.store.append(fixture.message(id, "old \(id)")) }
    #expect(try await fixture.search(MessageSearch("old")).isPartial)
    let first = try await fixture.index()
    #expect(first.count == 0 && first.isBuilding)
    try await fixture.store.append(fixture.message(8, "old 8"))
    try await fixture.index()
    let step = try await fixture.store.perform(SearchIndexing(.old, limit: 3))
    #expect(step.count == 3 && step.hasMore && step.isBuilding)
    let page = try await fixture.search(MessageSearch("old"))
    #expect(page.items == [8, 7, 6, 5] && page.isPartial)
    try await fixture.indexAll()
    let whole = try await fixture.search(MessageSearch("old"))
    #expect(whole.items == [8, 7, 6, 5, 4, 3, 2, 1] && !whole.isPartial)
    try await fixture.store.perform(SearchRestart())
    #expect(try await fixture.search(MessageSearch("old")).items == [])
    try await fixture.indexAll()
    #expect(try await fixture.search(MessageSearch("old")).items == whole.items)
  }

  @Test("a message that becomes visible after others with higher ids is added")
  func late() async throws {
    let fixture = try await Fixture()
    try await fixture.index()
    try await fixture.store.append(fixture.message(50, "late"))
    try await fixture.index(settled: 20)
    try await fixture.store.append(fixture.message(30, "late"))
    #expect(try await fixture.index(settled: 40).count == 1)
    #expect(try await fixture.found("late") == [50, 30])
    #expect(try await fixture.index(settled: 40).count == 0)
    // Settled ids are not looked at again.
    try await fixture.store.append(fixture.message(35, "late"))
    #expect(try await fixture.index(settled: 45).count == 0)
  }

  @Test("an index of before, with messages among others with higher ids, is built again")
  func disorder() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...3 { try await fixture.store.append(fixture.message(id, "old \(id)")) }
    try await fixture.indexAll()
    func execute(_ sql: String) async throws {
      try await fixture.store.write { transaction in
        guard !transaction.connection.session.hasTokenDocuments else { return }
        try transaction.connection.execute(StoreStatement(sql), [])
      }
    }
    func isPartial() async throws -> Bool {
      try await fixture.search(MessageSearch("old")).isPartial
    }
    try await execute(SearchSchema.ordering)
    #expect(try await !isPartial())
    try await execute("UPDATE search_messages SET place = 9 WHERE message_id = 2")
    try await execute(SearchSchema.ordering)
    try await fixture.indexAll()
    #expect(try await fixture.found("old") == [3, 2, 1])
    #expect(try await !isPartial())
  }

  @Test("changes and deletions take tokens out")
  func follows() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...6 {
      try await fixture.store.append(fixture.message(id, "common word\(id)", at: id * 100))
    }
    try await fixture.indexAll()
    #expect(try await fixture.entries(of: "common") == 6)
    try await fixture.edit(1, "changed")
    #expect(try await fixture.found("word1") == [])
    try await fixture.index()
    #expect(try await fixture.found("changed") == [1])
    #expect(try await fixture.entries(of: "word1") == 0)
    let lobby = fixture.lobby.id
    try await fixture.store.write { _ = try $0.deleteMessage(2, channelID: lobby, at: 900) }
    #expect(try await fixture.entries(of: "word2") == 0)
    #expect(try await fixture.store.perform(MessageExpiry(of: .old(lobby, before: 400))) == 2)
    #expect(try await fixture.entries(of: "word3") == 0)
    #expect(try await fixture.entries(of: "common") == 3)
    // A change before the message was added.
    try await fixture.store.append(fixture.message(7, "before"))
    try await fixture.edit(7, "after")
    try await fixture.index()
    #expect(try await fixture.found("after") == [7])
    #expect(try await fixture.entries(of: "before") == 0)
    try await fixture.store.write { _ = try $0.deleteChannel("lobby", at: 1_000) }
    #expect(try await fixture.found("common") == [])
    while try await fixture.entries(of: "common") > 0 {}
  }

  @Test("the state of the index, and a sample of it")
  func status() async throws {
    let fixture = try await Fixture()
    #expect(try await fixture.store.perform(SearchStatusQuery(), for: .server) == nil)
    for id in Int64(1)...20 { try await fixture.store.append(fixture.message(id, "text \(id)")) }
    try await fixture.indexAll()
    let status = try #require(try await fixture.store.perform(SearchStatusQuery(), for: .server))
    #expect(status.rowCount == 20 && status.byteCount > 0 && status.newestID == 20)
    #expect(!status.isBuilding)
    let sample = try await fixture.store.perform(SearchSample(seed: 1), for: .server)
    #expect(sample.checkedCount == 200 && sample.missingIDs == [])
  }
}
