import Channels
import ParleyProtocol
import PostgreSQL
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before read positions", .onOwnThreads)
struct ReadPositionsSchemaTests {
  /// A group with four messages, one of which was deleted: ann wrote the last one, bob joined after the
  /// first one, and cy is invited.
  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, created_at)
    VALUES ('ann', 'Ann', '', 5), ('bob', 'Bob', '', 6), ('cy', 'Cy', '', 6);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count, is_group, last_ordinal)
    VALUES ('den', 'Den', 'den', '', '', '', 0, 0, 7, 'e', 8, 1003, 3, 1, 4);
    INSERT INTO groups (channel_id, is_distinct, is_public, access_code, creator_id, member_count,
      joined_count)
    VALUES (1, 0, 0, '', 'ann', 3, 2);
    INSERT INTO members (channel_id, user_id, state, inviter_id, invited_at, joined_at, added_at,
      visible_from)
    VALUES (1, 'ann', \(MemberState.joined.stored), NULL, 0, 7, 7, 0),
      (1, 'bob', \(MemberState.joined.stored), 'ann', 1001, 1001, 1001, 1001),
      (1, 'cy', \(MemberState.invited.stored), 'ann', 1001, 0, 1001, 0);
    INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
      mention_type, created_at, ordinal)
    VALUES (10, 1, 1, 'MESG', 'ann', 'a', '', '', 'users', 1000, 1),
      (12, 1, 6, 'MESG', 'bob', 'c', '', '', 'users', 1002, 3),
      (13, 1, 8, 'MESG', 'ann', 'd', '', '', 'users', 1003, 4);
    """

  @Test("members of a file have read the messages of before, and count the later ones")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { !$0.name.hasPrefix("20 ") }
    #expect(known.count == 19)
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
    try Store(directory: directory.path).close()
  }

  @Test("members in PostgreSQL have read the messages of before, and count the later ones")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 10)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    let before = try #require(try await store.read { try $0.channel("den") })
    let read = ReadPosition(ordinal: 4, readAt: 1_003, floor: 4)
    #expect(before.members.map(\.user.id) == ["ann", "bob", "cy"])
    #expect(before.members.map(\.position) == [read, read, ReadPosition()])
    #expect(before.members.allSatisfy { $0.hiding == .unhidden && $0.countPreference == .all })
    #expect(before.floorOrdinal == 0 && before.uncounted == OrdinalSet())
    try await store.write { transaction in
      _ = try transaction.deleteMessage(12, channelID: 1, at: 1_100)
      let appender = transaction.connection.session.makeAppender(for: transaction.connection)
      for id in Int64(20)...22 {
        var message = NewMessage(
          channelID: 1, id: id, userID: "ann", text: "m", createdAt: 2_000 + id
        ).unsequenced(in: "den")
        message.isCounted = true
        _ = try appender.append(message, to: before.place)
      }
      _ = try transaction.deleteMessage(21, channelID: 1, at: 2_100)
      _ = try transaction.join("cy", "den", visibleFrom: 2_100, at: 2_100)
    }
    // A member may put its position back to before the migration, which makes no message unread.
    let bob = try await store.write {
      try $0.changeOwn(.markUnread(from: 13), of: "bob", channelID: 1, visibleFrom: 0)
    }
    #expect(bob.member.position == ReadPosition(ordinal: 3, readAt: 1_002, floor: 4))
    let state = try #require(try await store.read { try $0.channel("den") })
    #expect(state.uncounted == OrdinalSet(ascending: [6]))
    #expect(
      state.members.map(\.position) == [
        ReadPosition(ordinal: 7, readAt: 2_022, floor: 4), bob.member.position,
        ReadPosition(floor: 7),
      ])
  }
}
