import Crypto
import PostgreSQL
import Reactor
import SQLite

/// New epochs for all channels of a database that was brought back to an earlier state.
///
/// Clients know positions that the database has lost and assigns again to other events. Under another
/// epoch none of them is valid, and clients load their channels again.
package enum EpochRenewals {
  /// Gives a new epoch to all channels of a database that no server uses.
  ///
  /// - Returns: The number of channels.
  /// - Throws: `StoreError`, also while a server uses the database.
  package static func run(in place: StorePlace) throws -> Int {
    switch place {
    case .directory(let path): try run(inDirectory: path)
    case .postgreSQL(let url): try run(inDatabase: url)
    }
  }

  /// Gives a new epoch to all channels of a database file.
  ///
  /// - Returns: The number of channels.
  static func run(inFile path: String) throws -> Int {
    do {
      let database = try Database(path: path)
      defer { database.close() }
      try IntegrityCheck.run(on: database, path: path)
      try Migrations.check(database, path: path)
      try database.execute(StoreStatement.settingMeta().sqlite, [ChangeClock.floorRow, floor])
      try database.execute(renewal.sqlite, [epoch()])
      return database.changesCount
    } catch let error as DatabaseError {
      throw StoreError.inaccessible(path: path, reason: error.message)
    }
  }

  private static func run(inDirectory directory: String) throws -> Int {
    let path = directory + "/" + StoredFileNames.database
    guard FileStatus(path) != nil else {
      throw StoreError.inaccessible(path: path, reason: "it does not exist")
    }
    let lock = try DirectoryLock(directory: directory)
    defer { lock.release() }
    return try run(inFile: path)
  }

  private static func run(inDatabase url: String) throws -> Int {
    do {
      let connection = try PostgreSQLAccess(url: url, role: .administrator).connect(after: nil)
      try PostgreSQLLocks(.alone).acquire(on: connection, after: nil)
      try PostgreSQLSchema.prepare(on: connection)
      _ = try connection.execute(
        StoreStatement.settingMeta().numbered, [.text(ChangeClock.floorRow), .integer(floor)])
      return try connection.execute(renewal.numbered, [.text(epoch())]).changedCount
    } catch let error as PostgreSQLError {
      throw StoreError.inaccessible(path: "the database", reason: error.message)
    }
  }

  /// An epoch identifies one history of a channel's count, so all channels may have the same.
  private static func epoch() -> String { SecureRandom.base64URL(byteCount: 9) }

  /// Tokens of lists of changes that were given before are not valid: they name changes that are lost.
  private static var floor: Int64 { SystemClock.unixMilliseconds * 1_000 }

  private static let renewal: StoreStatement = "UPDATE channels SET epoch = ?"
}
