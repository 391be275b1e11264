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
    let expiry = MessageExpiry(of: fixture.lobby.id, olderThan: 400, limit: 2)
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
      try await fixture.store.perform(MessageExpiry(of: fixture.lobby.id, olderThan: 500)) == 2)
    #expect(try await Self.events(fixture) == [4])
    #expect(try await Self.count("events", in: fixture) == 1)
    #expect(try await Self.count("files", in: fixture) == 0)
    #expect(try await Self.count("removed_files", in: fixture) == 1)
  }

  @Test("an ID is not reused even if its message was the last of all")
  func keepsIDs() async throws {
    let fixture = try await Self.fixture()
    try await fixture.store.append(fixture.message(70, at: 100))
    _ = try await fixture.store.perform(MessageExpiry(of: fixture.lobby.id, olderThan: 500))
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
      try await fixture.store.perform(
        ExpiryQuery(after: position, olderThan: 500, limit: limit), for: .server)
    }
    #expect(
      try await find(after: 0, limit: 9)
        == ExpiryQuery.Page(channelIDs: [all[0], all[3]], next: nil))
    #expect(
      try await find(after: 0, limit: 2) == ExpiryQuery.Page(channelIDs: [all[0]], next: all[1]))
    #expect(
      try await find(after: all[1], limit: 2)
        == ExpiryQuery.Page(channelIDs: [all[3]], next: all[3]))
    #expect(
      try await find(after: all[3], limit: 2) == ExpiryQuery.Page(channelIDs: [], next: nil))
  }
}
