import Channels
import ParleyProtocol
import PostgreSQL
import Push
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before pushes", .onOwnThreads)
struct PushSchemaTests {
  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, created_at)
    VALUES ('ann', 'Ann', '', 5), ('bob', 'Bob', '', 6);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count, is_group, last_ordinal)
    VALUES ('den', 'Den', 'den', '', '', '', 0, 0, 7, 'e', 1, 1000, 1, 1, 1);
    INSERT INTO groups (channel_id, is_distinct, is_public, access_code, creator_id, member_count,
      joined_count)
    VALUES (1, 0, 0, '', 'ann', 2, 2);
    INSERT INTO members (channel_id, user_id, state, joined_at, added_at)
    VALUES (1, 'ann', \(MemberState.joined.stored), 7, 7),
      (1, 'bob', \(MemberState.joined.stored), 7, 7);
    INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
      mention_type, created_at, ordinal)
    VALUES (10, 1, 1, 'MESG', 'ann', 'a', '', '', 'users', 1000, 1);
    """

  @Test("a file keeps its rows, with the default choices")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { !$0.name.hasPrefix("31 ") }
    #expect(known.count == 30)
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
    try Store(directory: directory.path).close()
  }

  @Test("a database of PostgreSQL keeps its rows, with the default choices")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 21)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    #expect(try await store.perform(PushTokens(of: "ann")).isEmpty)
    #expect(try await store.perform(PushPreferencesLookup(of: "ann")) == PushPreferences())
    let trigger = try await store.read { transaction in
      try transaction.members(channelID: 1).first { $0.user.id == "bob" }?.pushTrigger
    }
    #expect(trigger == .default)
    let call = try PushRegister(Fields(JSONDocument(#"{"type":"gcm","token":"b"}"#).root))
    try await store.perform(PushRegistration(call, of: "bob", at: 2_000))
    let job = PushJob(
      channelID: 1, channelURL: "den", messageID: 10, scope: .members(after: ""),
      createdAt: 1_000, dueAt: 1_000)
    let page = try await store.perform(PushAudience(of: job), for: .server)
    #expect(page.recipients.map(\.recipient.userID) == ["bob"])
    // Messages of before are not pushed.
    #expect(page.facts?.pushOption == .suppress)
    #expect(try await store.perform(MissedPushes(of: ["bob"], since: 0, at: 2_000)) == 0)
  }
}
