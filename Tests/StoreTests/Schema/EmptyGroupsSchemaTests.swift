import Channels
import ParleyProtocol
import PostgreSQL
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before the time of empty groups", .onOwnThreads)
struct EmptyGroupsSchemaTests {
  /// Groups without members, one of which has messages, and a group with a member.
  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, created_at) VALUES ('ann', 'Ann', '', 5);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count, is_group, last_ordinal)
    VALUES ('used', '', '', '', '', '', 0, 0, 7, 'e', 1, 1003, 1, 1, 1),
      ('bare', '', '', '', '', '', 0, 0, 8, 'e', 0, 0, 0, 1, 0),
      ('den', '', '', '', '', '', 0, 0, 9, 'e', 0, 0, 0, 1, 0);
    INSERT INTO groups (channel_id, is_distinct, is_public, access_code, creator_id, member_count,
      joined_count)
    VALUES (1, 0, 0, '', NULL, 0, 0), (2, 0, 0, '', NULL, 0, 0), (3, 0, 0, '', 'ann', 1, 1);
    INSERT INTO members (channel_id, user_id, state, joined_at, added_at)
    VALUES (3, 'ann', \(MemberState.joined.stored), 9, 9);
    """

  @Test("empty groups of a file count from their last message")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { !$0.name.hasPrefix("21 ") }
    #expect(known.count == 20)
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
  }

  @Test("empty groups in PostgreSQL count from their last message")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 11)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    #expect(try await store.perform(EmptyGroups(since: 7)) == [])
    #expect(try await store.perform(EmptyGroups(since: 1_002)) == ["bare"])
    #expect(try await store.perform(EmptyGroups(since: 1_003)) == ["bare", "used"])
  }
}
