import CSQLite
import GRDB
import Logging
import Reactor

/// Opens connections to the database file.
enum DatabaseFile {
  /// Pages of the write-ahead log after which a commit also moves it into the file: 16 MiB.
  private static let checkpointPages = 4_096
  /// A log that grew beyond this is cut back once it has been moved into the file.
  private static let logByteLimit = 64 << 20
  /// Page caches, in KiB: indexes that many channels write to at once should stay in memory.
  private static let writerCacheKiB = 32_768
  private static let readerCacheKiB = 8_192

  /// Registers the VFS that gathers writes, once in the process.
  ///
  /// Without it a commit costs more system calls; nothing else differs.
  private static let gathersLogWrites = csqlite_gather_log_writes()

  /// Opens the one connection that writes, creating the file when missing, and brings its schema
  /// up to date.
  static func openForWriting(_ path: String, logger: Logger) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.busyMode = .immediateError
    configuration.label = "parley.store.writer"
    configuration.allowsUnsafeTransactions = true
    _ = gathersLogWrites
    PrivateFile.prepareDatabase(path)
    return try explaining(path) {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      try queue.writeWithoutTransaction { database in
        try IntegrityCheck.run(on: database, path: path)
        try database.execute(sql: "PRAGMA journal_mode = WAL")
        // FULL: a commit has reached the disk before it is acknowledged.
        try database.execute(sql: "PRAGMA synchronous = FULL")
        try database.execute(sql: "PRAGMA wal_autocheckpoint = \(checkpointPages)")
        try database.execute(sql: "PRAGMA journal_size_limit = \(logByteLimit)")
        try database.execute(sql: "PRAGMA cache_size = -\(writerCacheKiB)")
      }
      try Migrations.run(on: queue, path: path, logger: logger)
      return queue
    }
  }

  /// Opens a connection that can only read.
  static func openForReading(_ path: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .immediateError
    configuration.label = "parley.store.reader"
    configuration.allowsUnsafeTransactions = true
    configuration.prepareDatabase { database in
      try database.execute(sql: "PRAGMA cache_size = -\(readerCacheKiB)")
    }
    return try explaining(path) { try DatabaseQueue(path: path, configuration: configuration) }
  }

  private static func explaining<T>(_ path: String, _ body: () throws -> T) throws -> T {
    do {
      return try body()
    } catch let error as DatabaseError {
      let reason = error.message ?? error.resultCode.description
      switch error.resultCode {
      case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_FORMAT:
        throw StoreError.damaged(path: path, reason: reason)
      default:
        throw StoreError.inaccessible(path: path, reason: reason)
      }
    }
  }
}
