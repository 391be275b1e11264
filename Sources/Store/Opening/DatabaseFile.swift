import Logging
import Reactor
import SQLite

/// Opens connections to the database file.
enum DatabaseFile {
  /// The page size of a new database; an existing database keeps its own.
  ///
  /// A message changes a few pages, and a commit writes and checksums each of them as a whole.
  private static let pageByteCount = 2_048
  /// The size of the write-ahead log in bytes from which a commit moves it into the file.
  private static let checkpointByteCount = 16 << 20
  /// The size of the log in bytes beyond which it is truncated once it has been moved into the file.
  private static let logByteLimit = 64 << 20
  /// Milliseconds for which the store's threads wait for a lock of another program, such as a shell.
  private static let lockMilliseconds: Int32 = 5_000
  /// Page caches, in KiB: indexes that many channels write to at once should stay in memory.
  private static let writerCacheKiB = 32_768
  private static let readerCacheKiB = 8_192

  /// Opens the one connection that writes, creating the file when missing, and brings its schema
  /// up to date.
  static func openForWriting(_ path: String, logger: Logger) throws -> SharedDatabase {
    PrivateFile.prepareDatabase(path)
    return try explaining(path) {
      let shared = try SharedDatabase(path: path, logWrites: .gathered)
      try shared.withDatabase { database in
        database.waitForLocks(milliseconds: lockMilliseconds)
        try database.execute(script: "PRAGMA page_size = \(pageByteCount)")
        try IntegrityCheck.run(on: database, path: path)
        let pageByteCount = try database.number("PRAGMA page_size")
        // FULL: a commit has reached the disk before it is acknowledged.
        try database.execute(
          script: """
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = FULL;
            PRAGMA wal_autocheckpoint = \(checkpointByteCount / pageByteCount);
            PRAGMA journal_size_limit = \(logByteLimit);
            PRAGMA cache_size = -\(writerCacheKiB);
            """)
        try SearchSchema.addFunction(to: database)
        try Migrations.run(on: database, path: path, logger: logger)
      }
      return shared
    }
  }

  /// Opens a connection that can only read.
  static func openForReading(_ path: String) throws -> SharedDatabase {
    try explaining(path) {
      let shared = try SharedDatabase(path: path, access: .readOnly)
      try shared.withDatabase { database in
        database.waitForLocks(milliseconds: lockMilliseconds)
        try database.execute(script: "PRAGMA cache_size = -\(readerCacheKiB)")
      }
      return shared
    }
  }

  private static func explaining<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      guard [.notDatabase, .corrupt, .format].contains(error.code) else {
        throw StoreError.inaccessible(path: path, reason: error.message)
      }
      throw StoreError.damaged(path: path, reason: error.message)
    }
  }
}

/// Checks at the start whether a file is an intact database of this server.
enum IntegrityCheck {
  /// "PRLY": marks the file as Parley's (the header's application id).
  static let applicationID = 0x50_52_4C_59

  /// Larger files are not read completely, so that the server starts quickly.
  private static let fullCheckByteLimit = 64 << 20

  /// - Throws: `StoreError.damaged`, or a database error when the file cannot be read at all.
  static func run(on database: Database, path: String) throws {
    let isEmpty = try database.number("SELECT count(*) FROM sqlite_master") == 0
    let owner = try database.number("PRAGMA application_id")
    if isEmpty, owner == 0 {
      return try database.execute("PRAGMA application_id = \(applicationID)")
    }
    guard owner == applicationID else {
      throw StoreError.damaged(path: path, reason: "another application's database")
    }
    try checkPages(of: database, path: path)
  }

  private static func checkPages(of database: Database, path: String) throws {
    let pageCount = try database.number("PRAGMA page_count")
    let pageSize = try database.number("PRAGMA page_size")
    guard pageCount * pageSize <= fullCheckByteLimit else { return }
    let finding: String? = try database.value("PRAGMA quick_check(1)")
    guard finding == "ok" else {
      throw StoreError.damaged(path: path, reason: finding ?? "the check gave no answer")
    }
  }
}
