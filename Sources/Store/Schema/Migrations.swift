import Logging
import SQLite

/// One step of the schema, executed once in each database.
struct Migration: Sendable {
  /// The name under which it is recorded; never changed after a release.
  let name: String
  let run: @Sendable (Database, Logger) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (Database) throws -> Void) {
    self.name = name
    self.run = { database, _ in try run(database) }
  }

  /// A migration in steps, each of which is logged when the database is large.
  init(_ name: String, steps: [MigrationStep]) {
    self.name = name
    run = { database, logger in try steps.run(on: database, logger: logger) }
  }
}

/// The steps from an empty file to the current schema.
///
/// A released step is never changed; later changes are separate steps.
enum Migrations {
  static let all = [
    Migration("1 users", UsersSchema.create),
    Migration("2 channels", ChannelsSchema.create),
    Migration("3 messages", MessagesSchema.create),
    Migration("4 service", ServiceSchema.create),
    Migration("5 platform", PlatformSchema.create),
    Migration("6 webhooks", WebhooksSchema.create),
    Migration("7 files", FilesSchema.create),
    Migration("8 lists", steps: ListsSchema.steps),
    Migration("9 ids of files in messages", FilesSchema.nameInMessages),
    Migration("10 terms", ChannelsSchema.addTerm),
    Migration("11 uploads", UploadsSchema.create),
    Migration("12 thumbnails", ThumbnailsSchema.create),
    Migration("13 sealed files", SealedFilesSchema.create),
    Migration("14 roles of API tokens", TokenRolesSchema.create),
    Migration("15 tickets", TicketsSchema.create),
    Migration("16 indexes", IndexesSchema.create),
    Migration("17 flood windows", FloodSchema.create),
    Migration("18 languages on demand", LanguagesSchema.create),
    Migration("19 groups", steps: GroupsSchema.steps),
    Migration("20 read positions", ReadPositionsSchema.create),
    Migration("21 empty groups", EmptyGroupsSchema.create),
    Migration("22 blocks", BlocksSchema.create),
    Migration("23 changes of groups", ChangesSchema.create),
    Migration("24 super groups", SuperGroupsSchema.create),
    Migration("25 age of departures", DeparturesSchema.create),
    Migration("26 mentions", steps: MentionsSchema.steps),
    Migration("27 changes of messages", MessageChangesSchema.create),
    Migration("28 private reads", PrivateReadsSchema.create),
    Migration("29 deliveries", DeliveriesSchema.create),
    Migration("30 deleted groups", steps: DeletedGroupsSchema.steps),
    Migration("31 push", PushSchema.create),
    Migration("32 expiry of API tokens", TokenExpirySchema.create),
    Migration("33 beginning of restrictions", RestrictionsSchema.create),
    Migration("34 traces of webhook events", TracesSchema.create),
    Migration("35 reports", ReportsSchema.create),
    Migration("36 word filters", WordFiltersSchema.create),
    Migration("37 search", SearchSchema.create),
    Migration("38 retention of channels", RetentionSchema.create),
    Migration("39 requests", LongRequestsSchema.create),
    Migration("40 imports", ImportsSchema.create),
    Migration("41 quotas", QuotasSchema.create),
    Migration("42 order of search", SearchSchema.order),
    Migration("43 ended requests", LongRequestsSchema.indexEnded),
    Migration("44 activity of channels", ActivitySchema.create),
  ]

  /// Executes the migrations that a database has not had, each in a transaction of its own.
  ///
  /// - Throws: `StoreError.newerSchema` when the database has had others, and errors of SQLite.
  static func run(
    _ migrations: [Migration] = all, on database: Database, path: String, logger: Logger
  ) throws {
    try database.execute(
      script: "CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
    let done = try carriedOut(in: database)
    guard done.isSubset(of: migrations.map(\.name)) else {
      throw StoreError.newerSchema(path: path)
    }
    // While a table is recreated, tables that refer to it may exist without it.
    try database.execute(script: "PRAGMA foreign_keys = OFF")
    for migration in migrations where !done.contains(migration.name) {
      try database.inTransaction {
        try migration.run(database, logger)
        try checkForeignKeys(of: database, path: path)
        try database.execute(
          "INSERT INTO grdb_migrations (identifier) VALUES (?)", [migration.name])
      }
    }
    try database.execute(script: "PRAGMA foreign_keys = ON")
  }

  /// Checks that a database has had no migrations of a newer version; changes nothing.
  static func check(_ database: Database, path: String) throws {
    guard try carriedOut(in: database).isSubset(of: all.map(\.name)) else {
      throw StoreError.newerSchema(path: path)
    }
  }

  private static func carriedOut(in database: Database) throws -> Set<String> {
    let rows = try database.rows("SELECT identifier FROM grdb_migrations")
    var names: Set<String> = []
    while let row = try rows.next() { names.insert(row[0]) }
    return names
  }

  private static func checkForeignKeys(of database: Database, path: String) throws {
    guard let table: String = try database.value("PRAGMA foreign_key_check") else { return }
    throw StoreError.damaged(path: path, reason: "the table \(table) refers to missing rows")
  }
}

/// A part of a migration that can take long in a large database.
struct MigrationStep: Sendable {
  let name: String
  let run: @Sendable (Database) throws -> Void

  init(_ name: String, _ run: @escaping @Sendable (Database) throws -> Void) {
    self.name = name
    self.run = run
  }
}

extension [MigrationStep] {
  /// A file up to this size is migrated within a second or two.
  private static var quietByteLimit: Int { 128 << 20 }

  /// Runs the steps in order, and logs each of them when the database is large.
  func run(on database: Database, logger: Logger) throws {
    let pageCount = try database.number("PRAGMA page_count")
    let pageSize = try database.number("PRAGMA page_size")
    let isLarge = pageCount * pageSize > Self.quietByteLimit
    for (index, step) in enumerated() {
      if isLarge {
        logger.notice(
          "migrating the database",
          metadata: ["step": "\(index + 1) of \(count)", "task": "\(step.name)"])
      }
      try step.run(database)
    }
  }
}
