import Channels
import ParleyProtocol
import PostgreSQL
import Synchronization
import TestSupport
import Testing

@testable import Store

@Suite("Opening a store in PostgreSQL", .onOwnThreads)
struct PostgreSQLOpeningTests {
  private var options: StoreOptions { StoreOptions(logger: LogRecorder().logger) }

  @Test("stored data is there when the store is reopened, and the schema is created once")
  func reopens() async throws {
    let url = try PostgreSQLDatabase.make()
    let first = try Store(.postgreSQL(url: url), options: options)
    try await first.write { _ = try $0.upsertUser("ann", nickname: "Ann", at: 1) }
    first.close()
    let second = try Store(.postgreSQL(url: url), options: options)
    #expect(try await second.read { try $0.user("ann")?.nickname } == "Ann")
    second.close()
  }

  @Test("a second server is refused, with the name of the first")
  func excludes() throws {
    let url = try PostgreSQLDatabase.make()
    let first = try Store(.postgreSQL(url: url), options: options)
    let error = #expect(throws: StoreError.self) {
      try Store(.postgreSQL(url: url), options: options)
    }
    #expect(error?.description.contains("in use by another server (parleyd ") == true)
    first.close()
  }

  @Test("sharing servers do not exclude each other, but exclude a server that does not share")
  func shares() throws {
    let url = try PostgreSQLDatabase.make()
    var sharing = options
    sharing.sharing = .shared
    let stores = try (0..<3).map { _ in try Store(.postgreSQL(url: url), options: sharing) }
    #expect(throws: StoreError.self) { try Store(.postgreSQL(url: url), options: options) }
    for store in stores { store.close() }
  }

  @Test("a schema of a newer version is refused and left unchanged")
  func refusesNewer() throws {
    let url = try PostgreSQLDatabase.make()
    try Store(.postgreSQL(url: url), options: options).close()
    let connection = try PostgreSQLConnection(url)
    _ = try connection.execute("INSERT INTO parley_schema VALUES (1000000)")
    let error = #expect(throws: StoreError.self) {
      try Store(.postgreSQL(url: url), options: options)
    }
    guard case .newerSchema(let path)? = error else {
      Issue.record("unexpected: \(String(describing: error))")
      return
    }
    #expect(path.hasPrefix("the database store_"))
  }

  @Test("a missing database and a role that may not log in are named at once")
  func namesRefusals() throws {
    let url = try PostgreSQLDatabase.make()
    for wrong in [
      url.replacing("/store_", with: "/nowhere_"),
      url.replacing("//parley@", with: "//nobody:geheim@"),
    ] {
      let error = #expect(throws: StoreError.self) {
        try Store(.postgreSQL(url: wrong), options: options)
      }
      let text = error?.description ?? ""
      #expect(text.contains("does not exist"))
      #expect(!text.contains("geheim"))
    }
  }

  @Test("an unreachable server is waited for, up to the caller's limit")
  func waits() throws {
    var options = options
    let reasons = Mutex<[String]>([])
    options.waitForServer = { reason in
      reasons.withLock {
        $0.append(reason)
        return $0.count < 3
      }
    }
    #expect(throws: StoreError.closed) {
      try Store(.postgreSQL(url: "postgresql://parley:geheim@127.0.0.1:1/parley"), options: options)
    }
    let given = reasons.withLock(\.self)
    #expect(given.count == 3 && Set(given).count == 1)
    #expect(given[0].contains("refused") && !given[0].contains("geheim"))
  }

  @Test("no statement of the gateway's hot path scans a growing table completely")
  func plans() throws {
    let url = try PostgreSQLDatabase.make()
    try Store(.postgreSQL(url: url), options: options).close()
    let access = PostgreSQLAccess(url: url, role: .administrator)
    let connection = try access.connect(after: nil)
    for statement in [
      "SELECT message_id FROM messages WHERE message_id = ANY ('{1,2}'::bigint[])",
      "SELECT channel_id FROM channels WHERE channel_id = ANY ('{1}'::bigint[]) ORDER BY channel_id",
      """
      SELECT r.message_id FROM unnest('{1}'::bigint[], '{a}'::text[], '{b}'::text[]) AS q (c, u, n)
      JOIN requests AS r ON r.channel_id = q.c AND r.user_id = q.u AND r.req_id = q.n
      """,
      "SELECT user_id FROM users WHERE user_id = ANY ('{a}'::text[])",
      """
      SELECT message_id FROM messages WHERE channel_id = 1 AND created_at < 5
      ORDER BY created_at DESC, message_id DESC
      """,
      """
      SELECT message_id FROM messages
      WHERE channel_id = 1 AND (created_at, message_id) < (5, 5) AND created_at >= 2
      ORDER BY created_at DESC, message_id DESC
      """,
      """
      SELECT channel_id FROM channels WHERE (created_at, channel_id) < (5, 5) AND is_group = 0
      ORDER BY created_at DESC, channel_id DESC
      """,
      """
      SELECT channel_id FROM channels
      WHERE (active_at, created_at, channel_id) < (5, 5, 5) AND is_group = 0
      ORDER BY active_at DESC, created_at DESC, channel_id DESC
      """,
      """
      SELECT * FROM (SELECT ends_at > 5, starts_at, channel_id, user_id FROM bans
        WHERE (starts_at, channel_id, user_id) < (5, 5, 'a')
        ORDER BY 2 DESC, 3 DESC, 4 DESC) AS ban
      UNION ALL SELECT * FROM (SELECT ends_at > 5, starts_at, channel_id, user_id FROM mutes
        WHERE (starts_at, channel_id, user_id) <= (5, 5, 'a')
        ORDER BY 2 DESC, 3 DESC, 4 DESC) AS mute
      ORDER BY 2 DESC, 3 DESC, 4 DESC
      """,
      """
      SELECT channels.url FROM groups JOIN channels USING (channel_id) WHERE distinct_key = 'a'
      """,
      """
      SELECT users.nickname FROM members JOIN users USING (user_id)
      WHERE channel_id = 1 ORDER BY added_at, members.user_id
      """,
      """
      SELECT user_id FROM members WHERE channel_id = 1 AND (added_at, user_id) > (5, 'a')
      ORDER BY added_at, user_id
      """,
      """
      SELECT c.url FROM members AS m CROSS JOIN channels AS c
      WHERE m.user_id = 'a' AND m.state = 1 AND c.channel_id = m.channel_id
      ORDER BY m.channel_id LIMIT 2000
      """,
      """
      SELECT users.nickname FROM members JOIN users USING (user_id)
      WHERE channel_id = 1 AND members.user_id = ANY ('{a,b}'::text[])
      """,
    ] {
      let rows = try connection.execute("EXPLAIN \(statement)")
      let plan = (0..<rows.count).map { rows.text($0, 0) }.joined(separator: "\n")
      #expect(plan.contains("Index") && !plan.contains("Seq Scan"), "\(plan)")
      // A merge names its key, too.
      let sorts = plan.replacing("Sort Key", with: "")
      #expect(!sorts.contains("Sort") || plan.contains("Scan using channels_pkey"), "\(plan)")
    }
  }
}
