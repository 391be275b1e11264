import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Listing channels by their latest messages", .onEachDatabase, .onOwnThreads)
struct ChannelOrderTests {
  private static let now: Int64 = 1_699_999_980_000

  /// Three pairs of channels, each created in one millisecond, after the lobby.
  private func makeStore() async throws -> Fixture {
    let fixture = try await Fixture()
    try await fixture.store.write { transaction in
      for index in 0..<6 {
        let channel = Channel(
          url: "url-\(index)", name: "Name \(index)", customType: index < 3 ? "early" : "late",
          isFrozen: index == 0, createdAt: 100 + Int64(index / 2))
        _ = try transaction.createChannel(channel, epoch: "e")
      }
    }
    return fixture
  }

  /// Appends a message at a number of seconds.
  private func send(
    _ fixture: Fixture, _ url: String, _ id: Int64, at seconds: Int64
  ) async throws {
    var message = fixture.message(id, at: Self.now + seconds * 1_000)
    message.channelID = try await fixture.store.read { try #require(try $0.channel(url)).id }
    try await fixture.store.append(message)
  }

  private func list(_ fixture: Fixture, _ query: ChannelQuery) async throws -> ChannelPage {
    try await fixture.store.read { try $0.listChannels(query) }
  }

  private func urls(_ fixture: Fixture, _ query: ChannelQuery) async throws -> [String] {
    try await list(fixture, query).channels.map(\.url)
  }

  @Test("those with the latest message come first, then those without messages, newest first")
  func order() async throws {
    let fixture = try await makeStore()
    try await send(fixture, "url-3", 1, at: 0)
    try await send(fixture, "lobby", 2, at: 5)
    try await send(fixture, "url-0", 3, at: 5)
    let latest = ChannelQuery(order: .latestMessage)
    #expect(
      try await urls(fixture, latest)
        == ["url-0", "lobby", "url-3", "url-5", "url-4", "url-2", "url-1"])
  }

  @Test("a message moves its channel if it is the first of the channel in a minute")
  func minutes() async throws {
    let fixture = try await makeStore()
    try await send(fixture, "url-1", 1, at: 0)
    try await send(fixture, "url-2", 2, at: 10)
    let latest = ChannelQuery(order: .latestMessage, limit: 2)
    try await send(fixture, "url-1", 3, at: 59)
    #expect(try await urls(fixture, latest) == ["url-2", "url-1"])
    try await send(fixture, "url-1", 4, at: 60)
    #expect(try await urls(fixture, latest) == ["url-1", "url-2"])
    let times = try await fixture.store.read { transaction in
      try transaction.connection.all(
        "SELECT active_at FROM channels WHERE active_at > 0 ORDER BY active_at", []
      ) { $0[0] as Int64 - Self.now }
    }
    #expect(times == [10_000, 60_000])
  }

  @Test("pages add up to the whole list; a channel that rises meanwhile is not repeated")
  func pages() async throws {
    let fixture = try await makeStore()
    for index in 0..<4 {
      try await send(fixture, "url-\(index)", Int64(index + 1), at: Int64(index))
    }
    var (seen, token): ([String], String?) = ([], nil)
    for page in 0..<10 {
      let query = ChannelQuery(order: .latestMessage, limit: 2, token: token)
      let result = try await list(fixture, query)
      seen += result.channels.map(\.url)
      try await send(fixture, "url-3", Int64(10 + page), at: Int64(1_000 * (page + 1)))
      guard !result.next.isEmpty else { break }
      token = result.next
    }
    #expect(seen == ["url-3", "url-2", "url-1", "url-0", "url-5", "url-4", "lobby"])
  }

  @Test("filters apply, also to named channels")
  func filters() async throws {
    let fixture = try await makeStore()
    for (index, url) in ["url-5", "url-1", "url-3", "url-0"].enumerated() {
      try await send(fixture, url, Int64(index + 1), at: Int64(index))
    }
    func found(_ change: (inout ChannelQuery) -> Void) async throws -> [String] {
      var query = ChannelQuery(order: .latestMessage)
      change(&query)
      return try await urls(fixture, query)
    }
    #expect(try await found { $0.customTypes = ["late"] } == ["url-3", "url-5", "url-4"])
    #expect(try await found { $0.nameContains = "NAME 1" } == ["url-1"])
    #expect(try await found { $0.urlContains = "l-5" } == ["url-5"])
    #expect(try await found { $0.freezing = .frozen } == ["url-0"])
    #expect(
      try await found { ($0.freezing, $0.customTypes) = (.unfrozen, ["early"]) }
        == ["url-1", "url-2"])
    #expect(
      try await found { $0.urls = ["url-2", "url-5", "url-1"] } == ["url-1", "url-5", "url-2"])
  }

  @Test("imported messages count; groups are left out and not moved")
  func importsAndGroups() async throws {
    let fixture = try await makeStore()
    try await fixture.store.write { transaction in
      let group = Channel(url: "den", createdAt: 1, group: Group(createdBy: User(id: "ann")))
      _ = try transaction.createGroup(group, epoch: "e", inviting: [])
    }
    let den = try await fixture.store.read { try #require(try $0.channel("den")).id }
    try await send(fixture, "den", 1, at: 9)
    try await send(fixture, "url-2", 2, at: 0)
    let lobby = fixture.lobby.id
    for (channelID, seconds) in [(lobby, Int64(1)), (den, 30)] {
      let item = MessagesImport.Item(
        MigratedMessage(
          userID: "ann", createdAt: Self.now + seconds * 1_000,
          draft: MessageDraft(type: .user, text: "x")))
      _ = try await fixture.store.perform(MessagesImport([item], into: channelID))
    }
    let latest = ChannelQuery(order: .latestMessage, limit: 3)
    #expect(try await urls(fixture, latest) == ["lobby", "url-2", "url-5"])
    let moved = try await fixture.store.read { transaction in
      try transaction.connection.first(
        "SELECT active_at FROM channels WHERE channel_id = ?", [den]
      ) { $0[0] as Int64 }
    }
    #expect(moved == 0)
  }

  @Test("a token of another order is refused")
  func tokens() async throws {
    let fixture = try await makeStore()
    for (order, other) in [
      (ChannelList.Order.created, ChannelList.Order.latestMessage), (.latestMessage, .created),
    ] {
      await #expect(throws: StoreError.invalidPageToken) {
        let token = try await self.list(fixture, ChannelQuery(order: order, limit: 2)).next
        _ = try ChannelQuery(order: .participants, token: token).participantPosition()
      }
      let token = try await list(fixture, ChannelQuery(order: order, limit: 2)).next
      #expect(!token.isEmpty)
      await #expect(throws: StoreError.invalidPageToken) {
        try await self.list(fixture, ChannelQuery(order: other, token: token))
      }
    }
  }
}
