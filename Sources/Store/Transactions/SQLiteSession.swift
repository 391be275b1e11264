import Glibc
import SQLite

/// A session with SQLite.
final class SQLiteSession: StoreSession {
  let database: Database
  // The writer executes these two in every transaction, so they are kept in properties.
  private var beginning: Statement?
  private var ending: Statement?
  /// The path of the file; `nil` when it has none.
  private let place: String?
  /// The write-ahead log, which exists beside the file as long as this connection is open.
  private var knownLog: FileIdentity?
  private let changes: ChangeClock
  /// Whether the transaction may change something.
  private var isWriting = false
  /// ``ChangeClock/settled`` when the snapshot began.
  private var settled: Int64 = 0

  /// - Parameter changes: The clock that all sessions with the file share.
  init(_ database: Database, changes: ChangeClock = ChangeClock(limit: 0)) {
    self.database = database
    self.changes = changes
    place = database.path
  }

  var isInTransaction: Bool { database.isInTransaction }

  var keepsRequests: Bool { false }
  var hasLanes: Bool { false }
  var hasTokenDocuments: Bool { false }

  func begin() throws {
    let statement = try beginning ?? database.statement("BEGIN IMMEDIATE TRANSACTION")
    beginning = statement
    try statement.execute()
    isWriting = true
    guard let limit = changes.begin() else { return }
    do {
      try database.execute(
        StoreStatement.settingMeta().sqlite, [ChangeClock.limitRow, limit])
    } catch {
      rollback()
      throw error
    }
  }

  func beginReading() throws {
    settled = changes.settled
    try database.execute("BEGIN DEFERRED TRANSACTION")
  }

  func settledChange() throws -> Int64 { settled }

  func commit() throws {
    do {
      let statement = try ending ?? database.statement("COMMIT TRANSACTION")
      ending = statement
      try statement.execute()
      endWriting(committed: true)
    } catch let error as DatabaseError {
      rollback()
      // The pages may have reached the log on disk before the error, and become valid after a crash
      // unless another commit overwrites them.
      throw error.code == .ioError ? CommitFailure(reason: "\(error)") : error
    }
  }

  func rollback() {
    database.rollback()
    endWriting(committed: false)
  }

  private func endWriting(committed isCommitted: Bool) {
    guard isWriting else { return }
    isWriting = false
    changes.end(committed: isCommitted)
  }

  func setSavepoint() throws { try database.execute("SAVEPOINT job") }

  func rollBackToSavepoint() throws { try database.execute("ROLLBACK TO job") }

  func releaseSavepoint() throws { try database.execute("RELEASE job") }

  func execute(_ sql: StoreStatement, _ values: StoreArguments) throws -> Int {
    let rows = RowCursor(try bound(sql, values))
    while try rows.next() != nil {}
    return database.changesCount
  }

  func insert(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) throws -> Int64 {
    _ = try execute(sql, values)
    return database.lastInsertedRowID
  }

  func rows(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    StoreRows(RowCursor(try bound(sql, values)))
  }

  func scan(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    try rows(sql, values)
  }

  func statement(_ sql: StoreStatement) throws -> any BoundStatement {
    try database.statement(sql.sqlite)
  }

  func makeAppender(for connection: StoreConnection) -> any MessageAppending {
    MessageAppender(connection: connection)
  }

  var connectionCount: Int? { nil }
  var isCutOff: Bool { false }

  var fileProblem: String? {
    guard let place else { return nil }
    if database.hasMoved { return Self.problem(of: place) }
    let log = FileIdentity(of: place + "-wal")
    guard let knownLog else {
      knownLog = log
      return nil
    }
    return log == knownLog ? nil : Self.problem(of: place + "-wal")
  }

  private static func problem(of path: String) -> String {
    "\(path) was removed or moved; put it back, or restart the server to go on with what is there"
  }

  func lookAtConnection() {}

  func restore() throws {}

  private func bound(_ sql: StoreStatement, _ values: StoreArguments) throws -> Statement {
    let statement = try database.statement(sql.sqlite)
    var index: Int32 = 0
    for value in values {
      index += 1
      switch value?.storeValue {
      case nil, .null: try statement.bind(nil as String?, at: index)
      case .integer(let number): try statement.bind(number, at: index)
      case .text(let text): try statement.bind(text, at: index)
      case .bytes(let bytes): try statement.bind(bytes, at: index)
      case .texts(let texts): try statement.bind(StoredJSON.encode(texts), at: index)
      case .integers(let numbers): try statement.bind(StoredJSON.encode(numbers), at: index)
      }
    }
    return statement
  }
}

extension Statement: BoundStatement {}

/// The identity of a file, independent of its name.
private struct FileIdentity: Equatable {
  let device: dev_t
  let number: ino_t

  init?(of path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
