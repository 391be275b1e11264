import Channels
import ParleyProtocol
import PostgreSQL
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before the deletion of groups in steps", .onOwnThreads)
struct DeletedGroupsSchemaTests {
  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, created_at) VALUES ('ann', 'Ann', '', 5);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count, is_group, last_ordinal)
    VALUES ('den', '', '', '', '', '', 0, 0, 9, 'e', 0, 0, 0, 1, 0);
    INSERT INTO groups (channel_id, is_distinct, is_public, access_code, creator_id, member_count,
      joined_count)
    VALUES (1, 0, 0, '', 'ann', 1, 1);
    INSERT INTO members (channel_id, user_id, state, inviter_id, invited_at, joined_at, added_at,
      visible_from, read_ordinal, floor_ordinal, own_after, hidden, count_preference, read_at,
      hidden_ordinal, changed_at, delivered_at)
    VALUES (1, 'ann', 1, 'bob', 2, 3, 4, 5, 6, 7, 8, 1, 2, 11, 12, 13, 14);
    INSERT INTO orphaned_channels (channel_id) VALUES (7);
    """

  @Test("the members of a file stay as they are")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { $0.name != "30 deleted groups" }
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
  }

  @Test("the members in PostgreSQL stay as they are")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 20)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    let row = try await store.read { transaction in
      try transaction.connection.first(
        """
        SELECT state, invited_at, joined_at, added_at, visible_from, read_ordinal, floor_ordinal,
          own_after, hidden, count_preference, read_at, hidden_ordinal, changed_at, delivered_at
        FROM members WHERE channel_id = 1 AND user_id = 'ann' AND inviter_id = 'bob'
        """, []
      ) { row in (0..<14).map { row[$0] as Int } }
    }
    #expect(row == [1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 11, 12, 13, 14])
    try await store.write { _ = try $0.deleteChannel("den", at: 20) }
    try await Deadline.standard.wait(for: "the purge") {
      try await store.read { transaction in
        try ["members", "orphaned_channels"].allSatisfy { table in
          try transaction.connection.first("SELECT 1 FROM \(table)", []) { _ in true } == nil
        }
      }
    }
  }
}
