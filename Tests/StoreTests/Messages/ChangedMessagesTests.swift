import Channels
import ParleyProtocol
import Reactor
import TestSupport
import Testing

@testable import Store

/// Encodes messages as their ids and texts, or as large items.
private struct TextEncoder: PageEncoder {
  var byteCount = 10

  func encode(_ listed: ListedMessage) -> PageItem<String> {
    PageItem("\(listed.message.id) \(listed.message.text)", byteCount: byteCount)
  }
}

@Suite("Changes of messages", .onEachDatabase, .onOwnThreads)
struct ChangedMessagesTests {
  private let fixture: Fixture
  private var store: Store { fixture.store }
  private var lobby: Int64 { fixture.lobby.id }

  init() async throws {
    fixture = try await Fixture()
    for id in Int64(1)...6 { try await store.append(fixture.message(id, at: 10 * id)) }
  }

  private func page(
    _ start: ChangeList.Start, by userID: String = "ann", limit: Int = 100, visibleFrom: Int64 = 0,
    at now: Int64 = SystemClock.unixMilliseconds, byteCount: Int = 10, in channelID: Int64? = nil
  ) async throws -> MessageChangePage<String> {
    try await store.perform(
      ChangedMessages(
        in: channelID ?? lobby, seenBy: userID, ChangeList(start, limit: limit),
        visibleFrom: visibleFrom, at: now, as: TextEncoder(byteCount: byteCount)), for: .server)
  }

  private func edit(_ id: Int64, _ text: String) async throws {
    let channelID = lobby
    _ = try await store.write {
      try $0.updateMessage(id, channelID: channelID, MessageChanges(text: text), at: 100)
    }
  }

  private func delete(_ id: Int64) async throws {
    let channelID = lobby
    _ = try await store.write { try $0.deleteMessage(id, channelID: channelID, at: 100) }
  }

  private var start: ChangeList.Start { .time(SystemClock.unixMilliseconds - 3_600_000) }

  @Test("messages are listed once, in their present state, at their last change")
  func listed() async throws {
    #expect(try await page(start).updated == [])
    try await edit(3, "three")
    try await edit(1, "one")
    try await edit(2, "two")
    try await edit(3, "drei")
    try await delete(2)
    try await delete(5)
    let all = try await page(start)
    #expect(all.updated == ["1 one", "3 drei"] && all.deletedIDs == [2, 5] && !all.hasMore)
    var (token, found) = (start, [] as [String])
    for _ in 0..<4 {
      let page = try await page(token, limit: 1)
      found += page.updated + page.deletedIDs.map { "-\($0)" }
      #expect(page.hasMore == (found.count < 4))
      token = .token(page.token)
    }
    #expect(found == ["1 one", "3 drei", "-2", "-5"])
    try await edit(4, "four")
    #expect(try await page(token).updated.last == "4 four")
  }

  @Test("a page ends where an answer is full, and the next one continues there")
  func full() async throws {
    for id in Int64(1)...3 { try await edit(id, "x") }
    let first = try await page(start, byteCount: Limits.answerByteCount / 2 - 4_096)
    #expect(first.updated == ["1 x", "2 x"] && first.hasMore)
    let second = try await page(.token(first.token))
    #expect(second.updated == ["3 x"] && !second.hasMore)
  }

  @Test("messages from before a member's history, and expired ones, are not listed")
  func hidden() async throws {
    for id in Int64(1)...4 { try await edit(id, "x") }
    try await delete(5)
    try await delete(1)
    let visible = try await page(start, visibleFrom: 30)
    #expect(visible.updated == ["3 x", "4 x"] && visible.deletedIDs == [5])
    #expect(try await store.perform(MessageExpiry(of: .old(lobby, before: 40))) == 2)
    let rest = try await page(start)
    #expect(rest.updated == ["4 x"] && rest.deletedIDs == [5, 1])
  }

  @Test("tokens belong to a user, a channel and 30 days")
  func tokens() async throws {
    let token = ChangeList.Start.token(try await page(start).token)
    let other = try await store.write {
      try $0.createChannel(Channel(url: "other", createdAt: 1), epoch: "e").id
    }
    await #expect(throws: StoreError.invalidPageToken) { try await page(token, by: "bob") }
    await #expect(throws: StoreError.invalidPageToken) { try await page(token, in: other) }
    await #expect(throws: StoreError.invalidPageToken) { try await page(.token("x")) }
    let later = SystemClock.unixMilliseconds + 31 * 86_400_000
    await #expect(throws: StoreError.invalidPageToken) { try await page(token, at: later) }
    #expect(try await page(token).updated == [])
  }

  private func rowCount() async throws -> Int64? {
    try await store.read {
      try $0.connection.first("SELECT count(*) FROM message_changes", []) { $0[0] }
    }
  }

  @Test("a change has one row, which goes after 30 days or with its channel")
  func pruning() async throws {
    for _ in 0..<3 { try await edit(1, "x") }
    try await delete(2)
    #expect(try await rowCount() == 2)
    let channelID = lobby
    let later = SystemClock.unixMilliseconds + 31 * 86_400_000
    for _ in 0..<EventLog.pruningInterval {
      _ = try await store.write {
        try $0.updateMessage(3, channelID: channelID, MessageChanges(text: "y"), at: later)
      }
    }
    #expect(try await rowCount() == 1)
    _ = try await store.write { try $0.deleteChannel("lobby", at: 200) }
    try await Deadline.standard.wait(for: "the purge") { try await rowCount() == 0 }
  }
}
