import Channels
import PostgreSQL
import SQLite
import Synchronization

/// The location of a store's data.
package enum StorePlace: Sendable, Hashable {
  /// A SQLite database in a directory, which is created when missing.
  case directory(String)
  /// A PostgreSQL database by its connection URI, which may name several hosts.
  case postgreSQL(url: String)

  /// The database at a URL, or without a URL the one in a directory.
  package init(url: String?, directory: String) {
    self = url.map { .postgreSQL(url: $0) } ?? .directory(directory)
  }
}

/// Whether other servers may write to the same database.
package enum StoreSharing: Sendable, Hashable {
  /// This server excludes all others.
  case alone
  /// Other servers write too: a channel has to be taken over before it is written to.
  case shared
}

/// The sessions of an open database, one for each thread that uses it.
struct StoreSessions: Sendable {
  /// Uses a session on the caller's thread, and ends it.
  typealias Use = @Sendable (_ body: (any StoreSession) -> Void) -> Void

  /// The one session that writes.
  let writer: Use
  /// The session for changes outside the writer; `nil` when a database has one writer.
  var aside: Use?
  /// Opens a session that only reads.
  let reader: @Sendable () throws -> Use
  /// The place of files that are removed with their messages; `nil` when there are none.
  let files: (any FileDepot)?

  /// Opens a database.
  ///
  /// - Throws: `StoreError`.
  static func open(_ place: StorePlace, _ options: StoreOptions) throws -> StoreSessions {
    switch place {
    case .directory(let path): try openSQLite(path, options)
    case .postgreSQL(let url): try openPostgreSQL(url, options)
    }
  }

  private static func openSQLite(
    _ directory: String, _ options: StoreOptions
  ) throws -> StoreSessions {
    try DataDirectory.create(directory)
    let lock = try DirectoryLock(directory: directory)
    let path = directory + "/parley.sqlite"
    let writing = try DatabaseFile.openForWriting(path, logger: options.logger)
    let changes = try writing.withDatabase(ChangeClock.init(of:))
    return StoreSessions(
      writer: { body in
        // The connection stays on its thread: the thread runs inside this one access.
        writing.withDatabase { database in
          body(SQLiteSession(database, changes: changes))
          database.checkpoint()
          database.close()
        }
        lock.release()
      },
      reader: {
        let reading = try DatabaseFile.openForReading(path)
        return { body in
          reading.withDatabase { database in
            body(SQLiteSession(database, changes: changes))
            database.close()
          }
        }
      }, files: try options.files ?? DirectoryDepot(dataDirectory: directory))
  }

  /// Waits for a server that cannot be reached.
  ///
  /// - Throws: `StoreError`: `closed` when waiting was ended, otherwise why waiting would not help.
  private static func openPatiently(_ options: StoreOptions, _ body: () throws -> Void) throws {
    while true {
      do {
        return try body()
      } catch let error as PostgreSQLError {
        guard error.mayRecover else {
          throw StoreError.inaccessible(path: "the database of store.url", reason: error.message)
        }
        guard options.waitForServer(error.message) else { throw StoreError.closed }
      }
    }
  }

  private static func openPostgreSQL(
    _ url: String, _ options: StoreOptions
  ) throws -> StoreSessions {
    @Sendable func access(_ role: PostgreSQLAccess.Role) -> PostgreSQLAccess {
      PostgreSQLAccess(
        url: url, role: role, patience: options.patience, limits: options.sessionLimits)
    }
    let writing = SharedSession(access(.writer(PostgreSQLLocks(options.sharing))))
    try openPatiently(options) {
      // The lock is taken first: no other server may change the schema.
      try writing.use { try $0.open() }
      let connection = try PostgreSQLAccess(url: url, role: .administrator).connect(after: nil)
      try PostgreSQLSchema.prepare(on: connection)
    }
    return StoreSessions(
      writer: { body in
        writing.use { session in
          body(session)
          session.close()
        }
      },
      aside: { body in
        let session = PostgreSQLSession(access(.aside))
        body(session)
        session.close()
      },
      reader: {
        { body in body(PostgreSQLSession(access(.reader))) }
      },
      files: options.files)
  }
}

/// A session passed from the thread that opened it to the one that uses it.
private final class SharedSession: Sendable {
  private let lock = Mutex(())
  /// Guarded by `lock`.
  nonisolated(unsafe) private let session: PostgreSQLSession

  init(_ access: PostgreSQLAccess) {
    session = PostgreSQLSession(access)
  }

  func use<T>(_ body: (PostgreSQLSession) throws -> T) rethrows -> T {
    try lock.withLock { _ in try body(session) }
  }
}
