import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Migrating to lists", .onOwnThreads)
struct ListsSchemaTests {
  @Test("messages are counted, names folded again, and filters find existing rows")
  func migrates() async throws {
    let directory = TemporaryDirectory()
    try makeOldFile(directory)
    let store = try Store(directory: directory.path)
    let (counts, channels, users) = try await store.read { transaction in
      (
        [try transaction.messageCount(channelID: 1), try transaction.messageCount(channelID: 2)],
        try transaction.listChannels(ChannelQuery(nameContains: "STRASSE")).channels.map(\.url),
        try transaction.listUsers(UserQuery(nicknamePrefix: "strass")).users.map(\.user.id)
      )
    }
    #expect(counts == [3, 0])
    #expect(channels == ["lobby"])
    #expect(users == ["ann"])
    func ids(_ query: MessageQuery) async throws -> [Int64] {
      try await store.read { try $0.listMessages(query) }.map(\.id)
    }
    let end = MessageQuery.Anchor.time(.max)
    #expect(
      try await ids(MessageQuery(channelID: 1, anchor: end, filter: .init(customTypes: ["note"])))
        == [11])
    #expect(
      try await ids(MessageQuery(channelID: 1, anchor: end, filter: .init(type: .admin))) == [12])
    #expect(
      try await ids(MessageQuery(channelID: 1, anchor: end, filter: .init(senderIDs: ["ann"]))) == [
        10, 11,
      ])
    store.close()
  }

  @Test("the message count follows sent, deleted and refused messages")
  func counts() async throws {
    let fixture = try await Fixture()
    let id = fixture.lobby.id
    for number in Int64(1)...5 {
      try await fixture.store.append(fixture.message(number, at: number))
    }
    try await fixture.store.append(fixture.message(6, requestID: "r", at: 6))
    try await fixture.store.append(fixture.message(7, requestID: "r", at: 7))
    try await fixture.store.write { _ = try $0.deleteMessage(2, channelID: id, at: 9) }
    await #expect(throws: StoreError.notFound(.message)) {
      try await fixture.store.write { _ = try $0.deleteMessage(2, channelID: id, at: 9) }
    }
    #expect(try await fixture.store.read { try $0.messageCount(channelID: id) } == 5)
  }

  /// A file as the version before left it.
  private func makeOldFile(_ directory: TemporaryDirectory) throws {
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    try Migrations.run(
      Array(Migrations.all.prefix(7)), on: old, path: directory.database,
      logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
  }

  private static let rows = """
    INSERT INTO users (user_id, nickname, nickname_folded, profile_url, created_at)
    VALUES ('ann', 'Straße', 'straße', '', 5), ('bob', 'Bob', 'bob', '', 6);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at)
    VALUES ('lobby', 'Lange Straße', 'lange straße', '', '', '', 0, 0, 7, 'e', 3, 1002),
      ('empty', 'Empty', 'empty', '', '', '', 0, 0, 8, 'e', 0, 0);
    INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
      mention_type, created_at)
    VALUES (10, 1, 1, 'MESG', 'ann', 'a', '', '', 'users', 1000),
      (11, 1, 2, 'MESG', 'ann', 'b', '', 'note', 'users', 1001),
      (12, 1, 3, 'ADMM', NULL, 'c', '', '', 'users', 1002);
    """
}
