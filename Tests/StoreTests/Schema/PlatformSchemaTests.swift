import Channels
import SQLite
import ParleyProtocol
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before the Platform API", .onOwnThreads)
struct PlatformSchemaTests {
  @Test("its users, channels, messages, limits and events are kept, with the new columns")
  func migrates() async throws {
    let directory = TemporaryDirectory()
    try makeOldFile(directory)
    let store = try Store(directory: directory.path)
    let state = try #require(try await store.read { try $0.channel("lobby") })
    #expect(state.channel.metadata == [:])
    #expect(state.channel.operators.map(\.id) == ["ann"])
    #expect(state.bans["bob"]?.endsAt == 99)
    #expect(state.floodOverride == LimitOverride(messages: 3, windowMilliseconds: 500))
    #expect(state.lastSeq == 3)
    try await checkUsers(store)
    try await checkMessages(store, channelID: state.id)
    try await checkChanges(store, channelID: state.id)
    store.close()
    try Store(directory: directory.path).close()
  }

  private func checkUsers(_ store: Store) async throws {
    let (page, found, limits, token) = try await store.read { transaction in
      (
        try transaction.listUsers(UserQuery()),
        try transaction.listUsers(UserQuery(nicknamePrefix: "äR")),
        try transaction.listChannelLimits(), try transaction.issuedToken(hash: [1, 2], at: 1)
      )
    }
    #expect(page.users.map(\.user.id) == ["bob", "ann"])
    #expect(page.users.map(\.lastSeenAt) == [0, 0])
    #expect(page.users.map(\.isActive) == [false, true])
    #expect(found.users.map(\.user) == [User(id: "ann", nickname: "ÄRZTE", metadata: ["k": "v"])])
    #expect(limits.channels.map(\.url) == ["lobby"])
    #expect(token == IssuedToken(userID: "ann", expiresAt: nil))
  }

  private func checkMessages(_ store: Store, channelID: Int64) async throws {
    let (messages, byOthers, events) = try await store.read { transaction in
      let query = MessageQuery(channelID: channelID, anchor: .time(.max))
      var others = query
      others.operatorFilter = .others
      return (
        try transaction.listMessages(query), try transaction.listMessages(others),
        try transaction.events(channelID: channelID, after: 0)
      )
    }
    #expect(messages.map(\.text) == ["hello", "see a.b"])
    #expect(messages.map(\.file) == [nil, nil])
    #expect(messages.map(\.isOperatorMessage) == [false, false])
    #expect(messages.last?.metaArrays == [MetaArray(key: "k", values: ["v"])])
    #expect(byOthers == messages)
    #expect(events?.map(\.seq) == [1, 2, 3])
  }

  private func checkChanges(_ store: Store, channelID: Int64) async throws {
    let file = MessageFile(url: "https://a.b/")
    let (outcome, counters) = try await store.write { transaction in
      _ = try transaction.insertMetadata(["a": "1"], of: .channel("lobby", .open))
      _ = try transaction.addSessionToken([7], userID: "ann", expiresAt: 9, at: 1)
      return (
        try transaction.append(
          NewMessage(
            channelID: channelID, id: 30, type: .file, userID: "ann", text: "", file: file,
            createdAt: 2_000)),
        try transaction.insertMetacounters(["likes": 1], ofChannel: "lobby", .open)
      )
    }
    #expect(outcome == .stored(seq: 4, mentionedUsers: []))
    #expect(counters == ["likes": 1])
  }

  /// A file as the version before left it.
  private func makeOldFile(_ directory: TemporaryDirectory) throws {
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    try Migrations.run(
      Array(Migrations.all.prefix(4)), on: old, path: directory.database,
      logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
  }

  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, metadata, is_active, access_token_hash,
      created_at)
    VALUES ('ann', 'ÄRZTE', '', '{"k":"v"}', 1, x'0102', 5), ('bob', '', '', NULL, 0, NULL, 6);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, flood_messages, flood_window_ms)
    VALUES ('lobby', 'Lobby', 'lobby', '', '', '', 0, 0, 7, 'e', 3, 1001, 3, 500);
    INSERT INTO channel_operators VALUES (1, 'ann', 1);
    INSERT INTO bans VALUES (1, 'bob', 1, 99, 'spam');
    INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
      mention_type, metaarray, req_id, created_at)
    VALUES (10, 1, 1, 'MESG', 'ann', 'hello', '', '', 'users', NULL, 'r', 1000),
      (20, 1, 2, 'ADMM', NULL, 'see a.b', '', '', 'users', '[{"key":"k","value":["v"]}]', NULL,
       1001);
    INSERT INTO events VALUES (1, 3, 'channel.frozen', NULL, '{}', 1002);
    """
}
