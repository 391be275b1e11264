import Channels
import ParleyProtocol
import PostgreSQL
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before the activity of channels", .onOwnThreads)
struct ActivitySchemaTests {
  /// Channels with and without messages, and a group with messages.
  private static let rows = """
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count, is_group)
    VALUES ('first', '', '', '', '', '', 0, 0, 7, 'e', 1, 1003, 1, 0),
      ('bare', '', '', '', '', '', 0, 0, 9, 'e', 0, 0, 0, 0),
      ('last', '', '', '', '', '', 0, 0, 8, 'e', 1, 1004, 1, 0),
      ('den', '', '', '', '', '', 0, 0, 9, 'e', 1, 1005, 1, 1);
    """

  @Test("channels of a file are listed by their latest messages")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { !$0.name.hasPrefix("44 ") }
    #expect(known.count == 43)
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
  }

  @Test("channels in PostgreSQL are listed by their latest messages")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 33)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    let page = try await store.read { try $0.listChannels(ChannelQuery(order: .latestMessage)) }
    #expect(page.channels.map(\.url) == ["last", "first", "bare"])
  }
}
