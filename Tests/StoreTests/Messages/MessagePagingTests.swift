import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Paging through messages", .onEachDatabase, .onOwnThreads)
struct MessagePagingTests {
  private typealias Edges = MessagePage<Int64>

  private func fill(
    _ fixture: Fixture, count: Int64, _ random: inout SeededGenerator
  ) async throws
    -> MessageListModel
  {
    var model = MessageListModel()
    var time: Int64 = 1_000
    for number in 1...count {
      time += Int64.random(in: 0...2, using: &random) / 2
      var message = fixture.message(
        10 * number, by: ["ann", "bob", "cy", nil].randomElement(using: &random) ?? nil, at: time)
      message.customType = ["", "", "a", "b"].randomElement(using: &random) ?? ""
      message.isOperatorMessage = Bool.random(using: &random)
      try await fixture.store.append(message)
      model.messages.append(message)
    }
    return model
  }

  private func query(_ id: Int64, _ random: inout SeededGenerator) -> MessageQuery {
    var query = MessageQuery(
      channelID: id, anchor: .time(.random(in: 998...1_040, using: &random)),
      previousLimit: .random(in: 0...8, using: &random),
      nextLimit: .random(in: 0...8, using: &random),
      center: Bool.random(using: &random) ? .included : .excluded,
      filter: MessageFilter(
        type: [nil, nil, .user, .admin].randomElement(using: &random) ?? nil,
        customTypes: [[], ["a"], ["b", "a"], ["z"], ["z", "y"]].randomElement(using: &random) ?? [],
        senderIDs: [[], ["ann"], ["cy", "bob"], ["nobody"]].randomElement(using: &random) ?? [],
        from: Bool.random(using: &random) ? .random(in: 998...1_020, using: &random) : nil,
        to: Bool.random(using: &random) ? .random(in: 1_010...1_040, using: &random) : nil))
    // Often none, as in open channels.
    query.visibleFrom = max(0, .random(in: -1_000...1_045, using: &random))
    return query
  }

  /// A page for which the time is up after so many rows, and whose items take so many bytes.
  private func page(
    _ fixture: Fixture, _ query: MessageQuery, rows: UInt64, itemBytes: Int
  ) async throws -> Edges {
    try await fixture.store.read { transaction in
      var passed: UInt64 = 0
      let time = QueryTime(nanoseconds: rows, rowsPerLook: 1) {
        passed += 1
        return passed
      }
      let timed = ReadTransaction(connection: transaction.connection, time: time)
      return try timed.listMessages(query) { PageItem($0.message.id, byteCount: itemBytes) }
    }
  }

  @Test(
    "pages that end early are marked, and continuing from them returns everything once",
    arguments: UInt64(1)...12)
  func walks(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let model = try await fill(fixture, count: 80, &random)
    for _ in 0..<25 {
      let first = query(fixture.lobby.id, &random)
      let rows = UInt64.random(in: 1...30, using: &random)
      let itemBytes = [0, 200_000, 600_000].randomElement(using: &random) ?? 0
      var page = try await page(fixture, first, rows: rows, itemBytes: itemBytes)
      var found = page.items
      var edge = page.previous
      while let place = edge {
        var further = first
        (further.anchor, further.center) = (.message(place.messageID), .excluded)
        (further.previousLimit, further.nextLimit) = (5, 0)
        page = try await self.page(fixture, further, rows: rows, itemBytes: itemBytes)
        #expect(page.previous != edge, "seed \(seed): no progress before \(place), \(first)")
        guard page.previous != edge else { return }
        found = page.items + found
        edge = page.previous
      }
      page = try await self.page(fixture, first, rows: rows, itemBytes: itemBytes)
      edge = page.next
      while let place = edge {
        var further = first
        (further.anchor, further.center) = (.message(place.messageID), .excluded)
        (further.previousLimit, further.nextLimit) = (0, 5)
        page = try await self.page(fixture, further, rows: rows, itemBytes: itemBytes)
        #expect(page.next != edge, "seed \(seed): no progress after \(place), \(first)")
        guard page.next != edge else { return }
        found += page.items
        edge = page.next
      }
      var everything = first
      (everything.previousLimit, everything.nextLimit) = (1_000, 1_000)
      #expect(found == model.list(everything), "seed \(seed), \(rows) rows, \(first)")
    }
  }

  @Test("a page without filters is complete, however long it takes", arguments: UInt64(1)...6)
  func isWhole(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let model = try await fill(fixture, count: 80, &random)
    for _ in 0..<40 {
      var query = query(fixture.lobby.id, &random)
      query.filter = MessageFilter()
      let page = try await page(fixture, query, rows: 0, itemBytes: 0)
      #expect(page.items == model.list(query), "seed \(seed), \(query)")
    }
  }

  @Test(
    "the end of the list is reported exactly when no limit interferes", arguments: UInt64(1)...6)
  func knowsEnds(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let model = try await fill(fixture, count: 80, &random)
    for _ in 0..<60 {
      let query = query(fixture.lobby.id, &random)
      let page = try await fixture.store.read {
        try $0.listMessages(query) { PageItem($0.message.id, byteCount: 0) }
      }
      var everything = query
      (everything.previousLimit, everything.nextLimit) = (1_000, 1_000)
      let all = model.list(everything)
      var none = query
      (none.previousLimit, none.nextLimit) = (0, 0)
      let center = model.list(none).count
      var before = everything
      before.nextLimit = 0
      let previous = model.list(before).count - center
      let next = all.count - previous - center
      #expect(page.items == model.list(query), "seed \(seed), \(query)")
      #expect((page.previous != nil) == (previous > query.previousLimit), "seed \(seed), \(query)")
      #expect((page.next != nil) == (next > query.nextLimit), "seed \(seed), \(query)")
    }
  }

  @Test("a page is limited by the size of a response, but has at least one message")
  func isBoundedByBytes() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...20 { try await fixture.store.append(fixture.message(id, at: id)) }
    let query = MessageQuery(
      channelID: fixture.lobby.id, anchor: .time(.max), previousLimit: 20)
    for (bytes, count) in [(100_000, 5), (600_000, 1), (30_000, 17)] {
      let encoded = Encoded()
      let page = try await fixture.store.read { transaction in
        try transaction.listMessages(query) { message in
          encoded.count += 1
          return PageItem(message.message.id, byteCount: bytes)
        }
      }
      #expect(page.items == Array((Int64(21 - count))...20))
      #expect(page.previous == MessageEdge(messageID: Int64(21 - count)))
      // One more was looked at, to see that it does not fit; none of the others was read.
      #expect(encoded.count == count + 1)
    }
  }

  /// Used by one thread at a time.
  private final class Encoded: @unchecked Sendable {
    var count = 0
  }
}
