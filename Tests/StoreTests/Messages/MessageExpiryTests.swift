import Channels
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Messages past their retention period", .onEachDatabase, .onOwnThreads)
struct MessageExpiryTests {
  private static let fileID = String(repeating: "a", count: 32)

  /// A store whose notes of removed files stay.
  private static func fixture() async throws -> Fixture {
    var options = StoreOptions()
    options.files = try HoldingDepot(in: TemporaryDirectory())
    return try await Fixture(options: options)
  }

  private static func events(_ fixture: Fixture) async throws -> [Int64] {
    try await fixture.store.read { [lobby = fixture.lobby] in
      try #require(try $0.events(channelID: lobby.id, after: 0)).map(\.seq)
    }
  }

  private static func count(_ table: String, in fixture: Fixture) async throws -> Int {
    try await fixture.store.read {
      try $0.connection.first("SELECT count(*) FROM \(table)", []) { $0[0] as Int } ?? 0
    }
  }

  @Test("older messages are removed, some at a time, and newer ones stay")
  func goes() async throws {
    let fixture = try await Self.fixture()
    for id in Int64(1)...5 { try await fixture.store.append(fixture.message(id, at: id * 100)) }
    let expiry = MessageExpiry(of: .old(fixture.lobby.id, before: 400), limit: 2)
    #expect(try await fixture.store.perform(expiry) == 2)
    #expect(try await Self.events(fixture) == [3, 4, 5])
    #expect(try await fixture.store.perform(expiry) == 1)
    #expect(try await fixture.store.perform(expiry) == 0)
    #expect(try await Self.events(fixture) == [4, 5])
    let count = try await fixture.store.read { [lobby = fixture.lobby] in
      try $0.messageCount(channelID: lobby.id)
    }
    #expect(count == 2)
  }

  @Test("files and updates are removed with their messages; other events stay")
  func takesAlong() async throws {
    let fixture = try await Self.fixture()
    var message = fixture.message(1, at: 100)
    message.type = .file
    message.file = MessageFile(url: "https://a.example/files/" + Self.fileID)
    message.upload = FileRecord(id: Self.fileID, name: "a.txt", type: "text/plain", size: 6)
    try await fixture.store.append(message)
    try await fixture.store.append(fixture.message(2, at: 100))
    try await fixture.store.write { [lobby = fixture.lobby] transaction in
      _ = try transaction.updateMessage(2, channelID: lobby.id, MessageChanges(text: "n"), at: 900)
      _ = try transaction.freezeChannel("lobby", at: 100)
    }
    #expect(
      try await fixture.store.perform(MessageExpiry(of: .old(fixture.lobby.id, before: 500))) == 2)
    #expect(try await Self.events(fixture) == [4])
    #expect(try await Self.count("events", in: fixture) == 1)
    #expect(try await Self.count("files", in: fixture) == 0)
    #expect(try await Self.count("removed_files", in: fixture) == 1)
  }

  @Test("an ID is not reused even if its message was the last of all")
  func keepsIDs() async throws {
    let fixture = try await Self.fixture()
    try await fixture.store.append(fixture.message(70, at: 100))
    _ = try await fixture.store.perform(MessageExpiry(of: .old(fixture.lobby.id, before: 500)))
    #expect(try await fixture.store.read { try $0.maximumMessageID() } == 70)
  }

  @Test("channels with old messages are found page by page")
  func finds() async throws {
    let fixture = try await Self.fixture()
    let ids = try await fixture.store.write { transaction in
      try ["hall", "den", "attic"].map {
        try transaction.createChannel(Channel(url: $0, createdAt: 1), epoch: "e").id
      }
    }
    let all = [fixture.lobby.id] + ids
    // The second channel is empty, the third one's only message is young.
    for (place, time) in [(0, 100), (2, 900), (3, 100)] {
      var message = fixture.message(Int64(place + 1), at: Int64(time))
      message.channelID = all[place]
      try await fixture.store.append(message)
    }
    func find(after position: Int64, limit: Int) async throws -> ExpiryQuery.Page {
      let rules = RetentionRules(otherLifetime: 500)
      return try await fixture.store.perform(
        ExpiryQuery(.all, by: rules, after: position, at: 1_000, limit: limit), for: .server)
    }
    func page(_ ids: [Int64], next: Int64?) -> ExpiryQuery.Page {
      ExpiryQuery.Page(
        channels: ids.map { ExpiringChannel($0, lifetime: 500, horizon: 500) }, next: next)
    }
    #expect(try await find(after: 0, limit: 9) == page([all[0], all[3]], next: nil))
    #expect(try await find(after: 0, limit: 2) == page([all[0]], next: all[1]))
    #expect(try await find(after: all[1], limit: 2) == page([all[3]], next: all[3]))
    #expect(try await find(after: all[3], limit: 2) == page([], next: nil))
  }

  @Test("the shorter one of the type's time and the channel's own counts; a hold keeps all")
  func rules() async throws {
    let fixture = try await Self.fixture()
    let (hall, den) = try await fixture.store.write { transaction in
      (
        try transaction.createChannel(
          Channel(url: "hall", customType: "support", createdAt: 1), epoch: "e"
        ).id, try transaction.createChannel(Channel(url: "den", createdAt: 1), epoch: "e").id
      )
    }
    for (place, channelID) in [fixture.lobby.id, hall, den].enumerated() {
      var message = fixture.message(Int64(place + 1), at: 1_000)
      message.channelID = channelID
      try await fixture.store.append(message)
    }
    let rules = RetentionRules(lifetimes: ["support": 60_000], otherLifetime: 30_000)
    func find(_ scope: ExpiryQuery.Scope, at now: Int64) async throws -> [Int64: Int64?] {
      let page = try await fixture.store.perform(
        ExpiryQuery(scope, by: rules, after: 0, at: now), for: .server)
      #expect(page.channels.allSatisfy { $0.horizon == now - ($0.lifetime ?? 0) })
      return Dictionary(page.channels.map { ($0.id, $0.lifetime) }) { first, _ in first }
    }
    #expect(try await find(.all, at: 40_000) == [fixture.lobby.id: 30_000, den: 30_000])
    #expect(try await find(.withOwnTime, at: 40_000) == [:])
    let own = RetentionChange(.survive(seconds: 20), of: "hall")
    #expect(try await fixture.store.perform(own) == ChannelRetention(survivalSeconds: 20))
    let longer = RetentionChange(.survive(seconds: 90), of: "den")
    _ = try await fixture.store.perform(longer)
    #expect(try await find(.withOwnTime, at: 40_000) == [hall: 20_000, den: 30_000])
    let hold = RetentionChange(.hold(true), of: "hall")
    #expect(
      try await fixture.store.perform(hold)
        == ChannelRetention(survivalSeconds: 20, isHeld: true))
    #expect(try await find(.all, at: 40_000) == [fixture.lobby.id: 30_000, den: 30_000])
    #expect(try await fixture.store.perform(MessageExpiry(of: .old(hall, before: 9_000))) == 0)
    let held = try await fixture.store.perform(HeldChannels(limit: 1, token: nil), for: .server)
    #expect(held == HeldChannels.Page(channels: [.init(url: "hall", isGroup: false)], next: ""))
    _ = try await fixture.store.perform(RetentionChange(.hold(false), of: "hall"))
    _ = try await fixture.store.perform(RetentionChange(.survive(seconds: nil), of: "hall"))
    #expect(try await find(.withOwnTime, at: 40_000) == [den: 30_000])
    #expect(try await fixture.store.perform(MessageExpiry(of: .old(hall, before: 9_000))) == 1)
    await #expect(throws: StoreError.notFound(.channel)) {
      try await fixture.store.perform(RetentionChange(.hold(true), of: "attic"))
    }
  }

  @Test("beyond the number that is kept, the oldest are removed")
  func number() async throws {
    let fixture = try await Self.fixture()
    for id in Int64(1)...7 { try await fixture.store.append(fixture.message(id, at: id * 100)) }
    let rules = RetentionRules(otherLifetime: 850, messageCount: 4)
    let page = try await fixture.store.perform(
      ExpiryQuery(.all, by: rules, after: 0, at: 1_000), for: .server)
    let channel = try #require(page.channels.first)
    #expect(channel.horizon == 150 && channel.messageCount == 4 && page.channels.count == 1)
    // One is too old, and two are too many.
    #expect(try await fixture.store.perform(MessageExpiry(of: channel, limit: 2)) == 2)
    #expect(try await fixture.store.perform(MessageExpiry(of: channel, limit: 2)) == 1)
    #expect(try await Self.events(fixture) == [4, 5, 6, 7])
    let rest = try await fixture.store.perform(
      ExpiryQuery(.all, by: rules, after: 0, at: 1_000), for: .server)
    #expect(rest.channels.isEmpty)
  }
}
