import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Lists around an ID", .onEachDatabase, .onOwnThreads)
struct MessageAnchorTests {
  @Test("a deleted or unknown ID marks its position", arguments: UInt64(1)...4)
  func findsThePlace(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let lobby = fixture.lobby.id
    var model = MessageListModel()
    for number in Int64(1)...40 {
      let message = fixture.message(10 * number, at: 1_000 + number / 3)
      try await fixture.store.append(message)
      model.messages.append(message)
      guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
      // Also a stretch without messages in the count of the events.
      let gone = model.messages.remove(at: .random(in: model.messages.indices, using: &random)).id
      try await fixture.store.write {
        _ = try $0.deleteMessage(gone, channelID: lobby, at: 2_000)
      }
    }
    for id in Int64(0)...82 {
      let query = MessageQuery(
        channelID: lobby, anchor: .message(5 * id), previousLimit: 2, nextLimit: 2)
      let page = try await fixture.store.read { transaction in
        try transaction.listMessages(query) { PageItem($0.message.id, byteCount: 1) }.items
      }
      #expect(page == model.list(query), "seed \(seed), id \(5 * id)")
    }
  }

  @Test("in an empty channel nothing is found")
  func findsNothing() async throws {
    let fixture = try await Fixture()
    let query = MessageQuery(
      channelID: fixture.lobby.id, anchor: .message(5), previousLimit: 2, nextLimit: 2)
    let page = try await fixture.store.read { transaction in
      try transaction.listMessages(query) { PageItem($0.message.id, byteCount: 1) }
    }
    #expect(page.items.isEmpty && page.previous == nil && page.next == nil)
  }
}
