import Channels
import ParleyProtocol
import Testing

@testable import Store
import TestSupport

@Suite("Listing messages", .onEachDatabase, .onOwnThreads)
struct MessageListingTests {
  /// Ids 10, 20 … 100; two to each millisecond from 1000.
  private func makeStore() async throws -> Fixture {
    let fixture = try await Fixture()
    for number in Int64(1)...10 {
      try await fixture.store.append(
        fixture.message(10 * number, at: 1_000 + (number - 1) / 2))
    }
    return fixture
  }

  private func ids(
    _ fixture: Fixture, _ anchor: MessageQuery.Anchor, _ previous: Int, _ next: Int,
    _ center: MessageQuery.Center = .included, _ order: MessageQuery.Order = .oldestFirst
  ) async throws -> [Int64] {
    let query = MessageQuery(
      channelID: fixture.lobby.id, anchor: anchor, previousLimit: previous, nextLimit: next,
      center: center, order: order)
    return try await fixture.store.read { try $0.listMessages(query) }.map(\.id)
  }

  @Test("a list around a message has the requested counts, and the message itself on request")
  func aroundMessage() async throws {
    let fixture = try await makeStore()
    #expect(try await ids(fixture, .message(50), 2, 3) == [30, 40, 50, 60, 70, 80])
    #expect(try await ids(fixture, .message(50), 2, 3, .excluded) == [30, 40, 60, 70, 80])
    #expect(try await ids(fixture, .message(50), 0, 0) == [50])
    #expect(try await ids(fixture, .message(50), 0, 0, .excluded) == [])
    #expect(try await ids(fixture, .message(50), 1, 1, .included, .newestFirst) == [60, 50, 40])
    #expect(try await ids(fixture, .message(10), 5, 1) == [10, 20])
    #expect(try await ids(fixture, .message(100), 1, 5) == [90, 100])
  }

  @Test("a list around a time counts all messages of that millisecond as its centre")
  func aroundTime() async throws {
    let fixture = try await makeStore()
    #expect(try await ids(fixture, .time(1_002), 1, 1) == [40, 50, 60, 70])
    #expect(try await ids(fixture, .time(1_002), 1, 1, .excluded) == [40, 70])
    #expect(try await ids(fixture, .time(5_000), 3, 3) == [80, 90, 100])
    #expect(try await ids(fixture, .time(0), 3, 3) == [10, 20, 30])
    #expect(try await ids(fixture, .time(.min), 200, 1) == [10])
    #expect(try await ids(fixture, .time(.max), 1, 200) == [100])
  }

  @Test("a deleted or unknown message still marks its position")
  func aroundMissing() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { [lobby = fixture.lobby] in
      _ = try $0.deleteMessage(50, channelID: lobby.id, at: 9)
    }
    #expect(try await ids(fixture, .message(50), 2, 2) == [30, 40, 60, 70])
    #expect(try await ids(fixture, .message(45), 1, 1) == [40, 60])
    #expect(try await ids(fixture, .message(1), 2, 2) == [10, 20])
    #expect(try await ids(fixture, .message(999), 2, 2) == [90, 100])
  }

  @Test("limits are clamped to 0 and 200")
  func clamps() async throws {
    let fixture = try await Fixture()
    for id in Int64(1)...450 {
      fixture.store.append(fixture.message(id, at: id)) { _ in }
    }
    try await fixture.store.write { _ in }
    #expect(try await ids(fixture, .message(225), 1_000, 1_000).count == 401)
    #expect(try await ids(fixture, .message(225), -5, .min) == [225])
  }

  @Test("a missing channel is distinguished from an empty one")
  func needsChannel() async throws {
    let fixture = try await Fixture()
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.read {
        try $0.listMessages(MessageQuery(channelID: 99, anchor: .time(1)))
      }
    }
  }

  @Test("every query matches a simple model", arguments: UInt64(1)...6)
  func agreesWithModel(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try await Fixture()
    let model = try await fill(fixture, &random)
    for _ in 0..<150 {
      let query = makeQuery(fixture.lobby.id, &random)
      let found = try await fixture.store.read { try $0.listMessages(query) }.map(\.id)
      #expect(found == model.list(query), "seed \(seed), \(query)")
    }
  }

  @Test("messages are listed by their last change")
  func updatedSince() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { [lobby = fixture.lobby] in
      for id in [20, 60] as [Int64] {
        _ = try $0.updateMessage(
          id, channelID: lobby.id, MessageChanges(text: "changed"), at: 500 + id)
      }
    }
    for (time, ids) in [(0, [20, 60]), (521, [60]), (561, [])] as [(Int64, [Int64])] {
      let query = MessageQuery(
        channelID: fixture.lobby.id, anchor: .time(.max), previousLimit: 100,
        filter: MessageFilter(updatedSince: time))
      #expect(try await fixture.store.read { try $0.listMessages(query) }.map(\.id) == ids)
    }
  }

  private func fill(
    _ fixture: Fixture, _ random: inout SeededGenerator
  ) async throws -> MessageListModel {
    var model = MessageListModel()
    var time: Int64 = 1_000
    for id in Int64(1)...120 {
      time += Int64.random(in: 0...2, using: &random) / 2
      var message = fixture.message(
        id, by: ["ann", "bob", nil].randomElement(using: &random) ?? nil, at: time)
      message.isOperatorMessage = Bool.random(using: &random)
      message.customType = ["", "a", "b"].randomElement(using: &random) ?? ""
      if Bool.random(using: &random) { message.text = "see HTTPS://parley.example" }
      if Bool.random(using: &random) { message.mentionedUserIDs = ["ann"] }
      if Int.random(in: 0..<5, using: &random) == 0 { message.mentionType = .channel }
      try await fixture.store.append(message)
      model.messages.append(message)
    }
    for _ in 0..<20 {
      let id = Int64.random(in: 1...120, using: &random)
      guard let index = model.messages.firstIndex(where: { $0.id == id }) else { continue }
      model.messages.remove(at: index)
      try await fixture.store.write { [lobby = fixture.lobby] in
        _ = try $0.deleteMessage(id, channelID: lobby.id, at: 1)
      }
    }
    return model
  }

  private func makeQuery(_ channelID: Int64, _ random: inout SeededGenerator) -> MessageQuery {
    let anchor: MessageQuery.Anchor =
      Bool.random(using: &random)
      ? .message(.random(in: 0...125, using: &random))
      : .time(.random(in: 998...1_065, using: &random))
    return MessageQuery(
      channelID: channelID, anchor: anchor,
      previousLimit: .random(in: 0...30, using: &random),
      nextLimit: .random(in: 0...30, using: &random),
      center: Bool.random(using: &random) ? .included : .excluded,
      order: Bool.random(using: &random) ? .oldestFirst : .newestFirst,
      filter: makeFilter(&random),
      operatorFilter: [.all, .all, .operators, .others].randomElement(using: &random) ?? .all)
  }

  private func makeFilter(_ random: inout SeededGenerator) -> MessageFilter {
    var filter = MessageFilter(
      type: [nil, nil, .user, .admin, .file].randomElement(using: &random) ?? nil,
      customTypes: [[], [], ["a"], ["a", ""], ["z"]].randomElement(using: &random) ?? [],
      senderIDs: [[], [], ["ann"], ["bob", "ann"], ["nobody"]].randomElement(using: &random) ?? [])
    guard Bool.random(using: &random) else { return filter }
    filter.mentionedUserID = [nil, nil, "ann", "bob"].randomElement(using: &random) ?? nil
    filter.hasFile = [nil, nil, false, true].randomElement(using: &random) ?? nil
    filter.hasLink = [nil, true, false].randomElement(using: &random) ?? nil
    filter.from = Bool.random(using: &random) ? .random(in: 990...1_060, using: &random) : nil
    filter.to = Bool.random(using: &random) ? .random(in: 990...1_060, using: &random) : nil
    return filter
  }
}
