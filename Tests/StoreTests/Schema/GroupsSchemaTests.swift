import Channels
import ParleyProtocol
import PostgreSQL
import SQLite
import TestSupport
import Testing

@testable import Store

@Suite("Migrating a database from before groups", .onOwnThreads)
struct GroupsSchemaTests {
  /// A channel with a message and an operator, as the version before left them.
  private static let rows = """
    INSERT INTO users (user_id, nickname, profile_url, created_at)
    VALUES ('ann', 'Ann', '', 5), ('bob', 'Bob', '', 6);
    INSERT INTO channels (url, name, name_folded, cover_url, data, custom_type, is_ephemeral,
      is_frozen, created_at, epoch, last_seq, last_created_at, message_count)
    VALUES ('lobby', 'Lobby', 'lobby', '', '', '', 0, 0, 7, 'e', 1, 1000, 1);
    INSERT INTO channel_operators (channel_id, user_id, position) VALUES (1, 'ann', 1);
    INSERT INTO messages (message_id, channel_id, seq, type, user_id, text, data, custom_type,
      mention_type, created_at)
    VALUES (10, 1, 1, 'MESG', 'ann', 'a', '', '', 'users', 1000);
    """

  @Test("a file keeps its channels as open ones, and has groups")
  func sqlite() async throws {
    let directory = TemporaryDirectory()
    try DataDirectory.create(directory.path)
    let old = try Database(path: directory.database)
    try old.execute("PRAGMA application_id = \(IntegrityCheck.applicationID)")
    try old.execute("PRAGMA journal_mode = WAL")
    let known = Migrations.all.prefix { !$0.name.hasPrefix("19 ") }
    #expect(known.count == 18)
    try Migrations.run(
      Array(known), on: old, path: directory.database, logger: LogRecorder().logger)
    try old.execute(script: Self.rows)
    old.close()
    let store = try Store(directory: directory.path)
    try await check(store)
    store.close()
    try Store(directory: directory.path).close()
  }

  @Test("a PostgreSQL database keeps its channels as open ones, and has groups")
  func postgreSQL() async throws {
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection, upTo: 9)
    try connection.execute(script: Self.rows)
    let store = try Store(.postgreSQL(url: url))
    try await check(store)
    store.close()
  }

  private func check(_ store: Store) async throws {
    let state = try #require(try await store.read { try $0.channel("lobby") })
    #expect(state.channel.group == nil && state.members.isEmpty && state.lastOrdinal == 0)
    #expect(state.channel.operators.map(\.id) == ["ann"])
    #expect(
      try await store.read { try $0.message(10, channelID: 1) }?.message.ordinal == .some(nil))
    #expect(
      try await store.read { try $0.listChannels(ChannelQuery()) }.channels.map(\.url) == ["lobby"])
    #expect(try await store.perform(UserChoicesLookup(of: "bob")).acceptsInvitations == nil)
    let appended = try await store.append(
      NewMessage(channelID: 1, id: 20, userID: "bob", text: "b", createdAt: 2_000))
    #expect(appended == .stored(seq: 2, mentionedUsers: []))
    let outcome = try await store.write { transaction in
      try transaction.createGroup(
        Channel(url: "den", createdAt: 9, group: Group(createdBy: User(id: "ann"))), epoch: "e",
        inviting: ["bob"])
    }
    #expect(LogResult.success(outcome).state?.members.map(\.user.id) == ["ann", "bob"])
  }

  /// The columns of each table.
  private typealias Tables = [String: Set<String>]

  @Test("both databases have the same tables and columns, with known exceptions")
  func sameSchema() async throws {
    let directory = TemporaryDirectory()
    try Store(directory: directory.path).close()
    let database = try Database(path: directory.database)
    let rows = try database.rows(
      """
      SELECT t.name, c.name FROM sqlite_master AS t JOIN pragma_table_info(t.name) AS c
      WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'
      """)
    var sqlite: Tables = [:]
    while let row = try rows.next() { sqlite[row[0], default: []].insert(row[1]) }
    let url = try PostgreSQLDatabase.make()
    let connection = try PostgreSQLDatabase.connect(to: url)
    try PostgreSQLSchema.prepare(on: connection)
    let columns = try connection.execute(
      "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    )
    var postgreSQL: Tables = [:]
    for index in 0..<columns.count {
      postgreSQL[columns.text(index, 0), default: []].insert(columns.text(index, 1))
    }
    // Requests have a table of their own there; these are for several servers.
    for table in [
      "requests", "webhook_lanes", "push_lanes", "announcements", "previews", "parley_schema",
      "search_documents",
    ] {
      #expect(postgreSQL.removeValue(forKey: table) != nil)
    }
    let index = ["search", "search_data", "search_idx", "search_config", "search_messages"]
    for table in ["withdrawn_requests", "grdb_migrations"] + index {
      #expect(sqlite.removeValue(forKey: table) != nil)
    }
    #expect(postgreSQL["channels"]?.remove("home") != nil)
    #expect(postgreSQL["webhook_events"]?.remove("lane") != nil)
    #expect(sqlite.keys.sorted() == postgreSQL.keys.sorted())
    for (table, columns) in sqlite {
      #expect(columns == postgreSQL[table], "\(table)")
    }
  }
}
