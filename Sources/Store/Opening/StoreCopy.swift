import Channels
package import Logging
import PostgreSQL
import SQLite

/// A copy of a SQLite store into an empty PostgreSQL database.
///
/// All durable data is copied, with its numbers and epochs, so clients recover from the positions that
/// they have. ``StoredFilesCopy`` copies the files. The copy is one transaction: when it fails, nothing
/// of it remains and it can be repeated.
package struct StoreCopy: Sendable {
  /// The data directory, which no server may use in the meantime.
  package var directory: String
  /// The address of the database.
  package var url: String
  /// Unix milliseconds: requests that can no longer be repeated at this time are left out.
  package var time: Int64
  package var logger: Logger

  package init(
    from directory: String, to url: String, at time: Int64,
    logger: Logger = Logger(label: "parley.store") { _ in SwiftLogNoOpLogHandler() }
  ) {
    self.directory = directory
    self.url = url
    self.time = time
    self.logger = logger
  }

  /// Copies the data, and updates the planner's statistics for the new sizes.
  ///
  /// - Returns: The number of rows of each table.
  /// - Throws: `StoreError`; `.exists` when the database is not empty.
  package func run() throws -> [String: Int] {
    let lock = try DirectoryLock(directory: directory)
    defer { lock.release() }
    let source = try DatabaseFile.openForWriting(directory + "/parley.sqlite", logger: logger)
    defer { source.close() }
    do {
      let locks = PostgreSQLLocks(.alone)
      let target = try PostgreSQLAccess(url: url, role: .administrator).connect(after: nil)
      try locks.acquire(on: target, after: nil)
      try PostgreSQLSchema.prepare(on: target)
      return try source.withDatabase { try copy($0, to: target) }
    } catch let error as PostgreSQLError {
      throw StoreError.inaccessible(path: "the database to copy to", reason: error.message)
    }
  }

  private func copy(
    _ source: Database, to target: PostgreSQLConnection
  ) throws -> [String: Int] {
    for table in CopiedTable.all {
      let rows = try target.execute("SELECT 1 FROM \(table.name) LIMIT 1")
      guard rows.count == 0 else { throw StoreError.exists }
    }
    _ = try target.execute("BEGIN")
    var counts: [String: Int] = [:]
    for table in CopiedTable.all {
      counts[table.name] = try copy(table, source, to: target)
      logger.notice(
        "copied a table",
        metadata: ["table": "\(table.name)", "rows": "\(counts[table.name] ?? 0)"])
    }
    for (table, column) in CopiedTable.numbered {
      try continueNumbers(of: table, column, source, target)
    }
    _ = try target.execute("COMMIT")
    _ = try target.execute("ANALYZE")
    return counts
  }

  private func copy(
    _ table: CopiedTable, _ source: Database, to target: PostgreSQLConnection
  ) throws -> Int {
    let rows = try source.rows(table.selection, table.parameters(at: time))
    var batch = CopiedRows(table)
    var count = 0
    while let row = try rows.next() {
      batch.add(row)
      count += 1
      guard batch.isLarge else { continue }
      _ = try target.execute(table.insertion, batch.takeAll())
    }
    if !batch.isEmpty { _ = try target.execute(table.insertion, batch.takeAll()) }
    return count
  }

  /// Assigned numbers are not reused, even if their rows were removed.
  private func continueNumbers(
    of table: String, _ column: String, _ source: Database, _ target: PostgreSQLConnection
  ) throws {
    let last: Int64? = try source.value(
      "SELECT seq FROM sqlite_sequence WHERE name = ?", [table])
    guard let last, last > 0 else { return }
    _ = try target.execute(
      "SELECT setval(pg_get_serial_sequence($1, $2), $3)",
      [.text(table), .text(column), .integer(last)])
  }
}

/// A table to copy from SQLite to PostgreSQL.
private struct CopiedTable {
  enum Kind: String {
    case integer = "bigint"
    case text
    case bytes = "bytea"
  }

  let name: String
  let columns: [(name: String, kind: Kind)]
  /// The rows to copy; `nil` for all.
  var source: String?

  /// - Parameter columns: Their names; `#` follows those of numbers, `*` those of bytes.
  init(_ name: String, _ columns: String, from source: String? = nil) {
    self.name = name
    self.columns = columns.split(separator: " ").map { column in
      switch column.last {
      case "#": (String(column.dropLast()), .integer)
      case "*": (String(column.dropLast()), .bytes)
      default: (String(column), .text)
      }
    }
    self.source = source
  }

  var selection: String {
    "SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(source ?? name)"
  }

  func parameters(at time: Int64) -> [(any DatabaseValueConvertible)?] {
    source == nil ? [] : [time - requestIDLifetimeMilliseconds]
  }

  var insertion: String {
    let lists = columns.enumerated().map { "$\($0.offset + 1)::\($0.element.kind.rawValue)[]" }
    return """
      INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", ")))
      SELECT * FROM unnest(\(lists.joined(separator: ", ")))
      """
  }

  /// The tables in an order in which no row refers to a later one.
  static let all = [
    CopiedTable(
      "users",
      """
      user_id nickname nickname_folded profile_url metadata is_active# access_token_hash* \
      created_at# last_seen_at# file_keys_since# accepts_invitations# \
      hides_reads# push_preferences
      """),
    CopiedTable("blocks", "user_id blocked_id"),
    CopiedTable(
      "channels",
      """
      channel_id# url name name_folded cover_url data custom_type is_ephemeral# is_frozen# metadata \
      created_at# epoch last_seq# last_created_at# message_count# flood_messages# flood_window_ms# \
      throttle_messages# throttle_window_ms# term# is_group# last_ordinal# \
      changed_at# survival_seconds# is_held# active_at#
      """),
    CopiedTable("user_days", "user_id day# messages# channels#"),
    CopiedTable("channel_operators", "channel_id# user_id position#"),
    CopiedTable(
      "groups",
      """
      channel_id# is_distinct# is_public# access_code creator_id member_count# joined_count# \
      distinct_key floor_ordinal# empty_since# is_super#
      """),
    CopiedTable(
      "members",
      """
      channel_id# user_id state# inviter_id invited_at# joined_at# added_at# visible_from# \
      read_ordinal# floor_ordinal# own_after# hidden# count_preference# read_at# hidden_ordinal# \
      changed_at# delivered_at# push_trigger#
      """),
    CopiedTable("departures", "user_id url changed_at#"),
    CopiedTable("uncounted", "channel_id# ordinal# message_id# created_at#"),
    CopiedTable("mentions", "user_id channel_id# ordinal# author_id"),
    CopiedTable("channel_mentions", "channel_id# ordinal# author_id"),
    CopiedTable("message_changes", "channel_id# message_id# changed_at# created_at# fate#"),
    CopiedTable("bans", "channel_id# user_id starts_at# ends_at# description"),
    CopiedTable("mutes", "channel_id# user_id starts_at# ends_at# description"),
    CopiedTable("metacounters", "channel_id# key value#"),
    CopiedTable(
      "messages",
      """
      message_id# channel_id# seq# type user_id text data custom_type mention_type mentioned_users \
      metaarray og_tag translations req_id created_at# updated_at# file \
      is_operator# flood_exempt# languages_on_demand ordinal# push
      """),
    CopiedTable("imports", "channel_id# dedup_id message_id#"),
    CopiedTable("events", "channel_id# seq# kind message_id# payload ts#"),
    // A request whose message was deleted refers to a message that does not exist.
    CopiedTable(
      "requests", "channel_id# user_id req_id message_id# created_at#",
      from: """
        (SELECT channel_id, coalesce(user_id, '') AS user_id, req_id, message_id, created_at
         FROM messages WHERE req_id IS NOT NULL AND created_at > ?1
         UNION ALL
         SELECT channel_id, user_id, req_id, 0, created_at FROM withdrawn_requests
         WHERE created_at > ?1)
        """),
    CopiedTable("orphaned_channels", "channel_id# url changed_at#"),
    CopiedTable("limits", "scope name kind messages# window_ms#"),
    CopiedTable("word_filters", "scope name kind# words"),
    CopiedTable("meta", "key value#"),
    CopiedTable("session_tokens", "token_hash* user_id expires_at#"),
    CopiedTable("api_tokens", "name token_hash* created_at# last_used_at# role expires_at#"),
    CopiedTable("webhook_events", "event_id# channel_url kind seq# ts# body trace"),
    CopiedTable("webhook_receivers", "receiver_id# url since#"),
    CopiedTable("webhook_cursors", "receiver_id# channel_url event_id#"),
    CopiedTable(
      "files",
      """
      file_id user_id name type size# created_at# is_picture# key_id file_keys* is_converting# \
      thumbnail_failure
      """),
    CopiedTable("file_messages", "message_id# file_id channel_id#"),
    CopiedTable("file_pictures", "holder file_id"),
    CopiedTable(
      "uploads",
      """
      file_id secret_hash* sealed_secret* user_id stage name type size# durable_bytes# created_at# \
      expires_at# term# claimed_until# base req_id message message_id# message_result message_error \
      key_id file_keys* tail_key* sealed_tail* is_dirty# thumbnail_sizes
      """),
    CopiedTable("file_master_keys", "key_id proof*"),
    CopiedTable(
      "push_tokens",
      """
      token_id# user_id type# name name_key public_key secret device_id created_at# last_success_at#
      """),
    CopiedTable(
      "push_jobs",
      """
      job_id# lane# channel_id# message_id# user_id token_id# after_id created_at# due_at# failures# \
      template
      """),
    CopiedTable("push_keys", "key_id# pem"),
    CopiedTable(
      "reports",
      """
      report_id# type channel_url subject reporter_id offender_id state category custom_category \
      description created_at# note closed_at# channel message
      """),
    CopiedTable(
      "thumbnails",
      "file_id max_width# max_height# content_id type size# width# height# created_at#"),
    CopiedTable("removed_files", "file_id"),
    CopiedTable(
      "long_requests",
      """
      request_number# request_id kind subject params status created_at# updated_at# position error \
      base file_id secret* worker lease_until# term#
      """),
  ]

  /// Tables with numbered rows, with the column of the number.
  static let numbered = [
    ("channels", "channel_id"), ("webhook_events", "event_id"),
    ("webhook_receivers", "receiver_id"), ("push_tokens", "token_id"), ("push_jobs", "job_id"),
    ("reports", "report_id"), ("long_requests", "request_number"),
  ]
}

/// Rows of a table that are inserted together, by column.
private struct CopiedRows {
  private enum Column {
    case integers([Int64?])
    case texts([String?])
    case bytes([[UInt8]?])
  }

  private let table: CopiedTable
  private var columns: [Column] = []
  private var rowCount = 0
  private var byteCount = 0

  init(_ table: CopiedTable) {
    self.table = table
    clear()
  }

  var isEmpty: Bool { rowCount == 0 }

  var isLarge: Bool { rowCount >= 1_000 || byteCount >= 4 << 20 }

  mutating func add(_ row: Row) {
    rowCount += 1
    for index in columns.indices {
      let isNull = row.isNull(index)
      switch columns[index] {
      case .integers(var values):
        columns[index] = .integers([])
        values.append(isNull ? nil : row.integer(index))
        columns[index] = .integers(values)
      case .texts(var values):
        columns[index] = .texts([])
        let text = isNull ? nil : row.text(index)
        byteCount += text?.utf8.count ?? 0
        values.append(text)
        columns[index] = .texts(values)
      case .bytes(var values):
        columns[index] = .bytes([])
        values.append(isNull ? nil : row.bytes(index))
        columns[index] = .bytes(values)
      }
    }
  }

  mutating func takeAll() -> [PostgreSQLValue] {
    defer { clear() }
    return columns.map { column in
      switch column {
      case .integers(let values): .integers(values)
      case .texts(let values): .texts(values)
      case .bytes(let values): .byteStrings(values)
      }
    }
  }

  private mutating func clear() {
    (rowCount, byteCount) = (0, 0)
    columns = table.columns.map { column in
      switch column.kind {
      case .integer: .integers([])
      case .text: .texts([])
      case .bytes: .bytes([])
      }
    }
  }
}
