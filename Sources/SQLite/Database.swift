import CSQLite

/// A connection to a database file.
///
/// Confined to one thread at a time.
package final class Database {
  /// The rights of a connection.
  package enum Access {
    case readOnly
    /// Creates the file when it does not exist.
    case readAndWrite
  }

  /// The way commits append to the write-ahead log.
  package enum LogWrites {
    /// With two system calls for each page; the log has its minimum length.
    case plain
    /// With one system call for each commit; the log file grows in steps of 1 MiB.
    case gathered
  }

  let handle: OpaquePointer
  /// Prepared statements by their texts, of which there are few: values are bound, not inserted.
  private var statements: [String: Statement] = [:]
  private var isClosed = false

  /// Opens a connection; foreign keys are enforced, and access to a database locked by another
  /// connection fails at once.
  ///
  /// - Throws: ``DatabaseError``.
  package init(
    path: String, access: Access = .readAndWrite, logWrites: LogWrites = .plain
  ) throws {
    var handle: OpaquePointer?
    let flags =
      switch access {
      case .readOnly: SQLITE_OPEN_READONLY
      case .readAndWrite: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      }
    let system =
      switch logWrites {
      case .plain: nil as UnsafePointer<CChar>?
      case .gathered: SQLiteSetup.gatheringSystem
      }
    let outcome = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX, system)
    guard let handle, outcome == SQLITE_OK else {
      let error = DatabaseError(code: outcome, handle: handle)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    sqlite3_extended_result_codes(handle, 1)
    csqlite_forbid_quoted_texts(handle)
    try execute(script: "PRAGMA foreign_keys = ON")
  }

  deinit { close() }

  /// Closes the connection; it must not be used afterwards.
  package func close() {
    guard !isClosed else { return }
    isClosed = true
    statements = [:]
    // Statements that are still referenced stay valid until they are released.
    sqlite3_close_v2(handle)
  }

  /// Whether a transaction has begun and not ended; some errors end it automatically.
  package var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }
  /// The row number of the last insertion.
  package var lastInsertedRowID: Int64 { sqlite3_last_insert_rowid(handle) }
  /// The number of rows changed by the last statement that changed any.
  package var changesCount: Int { Int(sqlite3_changes64(handle)) }

  /// The path of the database's file; `nil` for one in memory.
  package var path: String? {
    guard let name = sqlite3_db_filename(handle, "main"), name.pointee != 0 else { return nil }
    return String(cString: name)
  }

  /// Whether the file was removed, moved or replaced since it was opened.
  package var hasMoved: Bool {
    var hasMoved: Int32 = 0
    let outcome = sqlite3_file_control(handle, "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved)
    return outcome == SQLITE_OK && hasMoved != 0
  }

  /// Waits up to a time limit for locks of other connections instead of failing at once.
  package func waitForLocks(milliseconds: Int32) {
    sqlite3_busy_timeout(handle, milliseconds)
  }

  /// Moves the write-ahead log into the database file and truncates it, as far as readers allow; the
  /// rest stays in the log.
  ///
  /// From now on, the connection does not wait for locks.
  package func checkpoint() {
    sqlite3_busy_timeout(handle, 0)
    sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_TRUNCATE, nil, nil)
  }

  /// Executes any number of statements without values and ignores their rows.
  package func execute(script: String) throws {
    let outcome = sqlite3_exec(handle, script, nil, nil, nil)
    guard outcome == SQLITE_OK else {
      throw DatabaseError(code: outcome, handle: handle, sql: script)
    }
  }

  /// Executes a statement and ignores its rows.
  package func execute(_ sql: String, _ values: Arguments = []) throws {
    let rows = try rows(sql, values)
    while try rows.next() != nil {}
  }

  /// Runs a query, whose rows are read one by one on demand.
  package func rows(_ sql: String, _ values: Arguments = []) throws -> RowCursor {
    let statement = try statement(sql)
    try statement.bind(values)
    return RowCursor(statement)
  }

  /// The first column of the first row as a number, as most pragmas return it; 0 without a row.
  package func number(_ sql: String) throws -> Int {
    try value(sql) ?? 0
  }

  /// The first column of the first row; `nil` without a row, or when it is NULL.
  package func value<T: ColumnValue>(_ sql: String, _ values: Arguments = []) throws -> T? {
    try rows(sql, values).next()?[0]
  }

  /// A statement, prepared once for each text.
  package func statement(_ sql: String) throws -> Statement {
    if let known = statements[sql], !known.isRunning { return known }
    let made = try Statement(sql, on: handle)
    // A running statement cannot be shared.
    if statements[sql] == nil { statements[sql] = made }
    return made
  }

  /// Runs a body in a transaction; when the body throws, the transaction is rolled back.
  package func inTransaction<T>(_ body: () throws -> T) throws -> T {
    try execute("BEGIN IMMEDIATE TRANSACTION")
    do {
      let value = try body()
      try execute("COMMIT TRANSACTION")
      return value
    } catch {
      rollback()
      throw error
    }
  }

  /// Rolls back the transaction, if there is one.
  package func rollback() {
    guard isInTransaction else { return }
    // A failure needs no handling: the transaction has ended in any case.
    try? execute("ROLLBACK TRANSACTION")
  }

  /// Makes a function of one text available to statements while `body` runs; NULL stays NULL.
  package func withFunction(
    _ name: String, _ function: @escaping (String) -> String, _ body: () throws -> Void
  ) throws {
    let box = TextFunction(function)
    try register(name, box, TextFunction.call)
    defer { try? register(name, nil, nil) }
    try withExtendedLifetime(box, body)
  }

  /// Makes a function without arguments available to statements, which gives another number for each row.
  package func addNumbers(_ name: String, _ next: @escaping () -> Int64) throws {
    let outcome = sqlite3_create_function_v2(
      handle, name, 0, SQLITE_UTF8, Unmanaged.passRetained(NumberFunction(next)).toOpaque(),
      NumberFunction.call, nil, nil, NumberFunction.release)
    guard outcome == SQLITE_OK else { throw DatabaseError(code: outcome, handle: handle) }
  }

  /// Makes a function available to statements, which computes a text from the texts of its arguments.
  ///
  /// - Parameter body: Has an item for each argument; `nil` for NULL.
  package func addFunction(
    _ name: String, argumentCount: Int32, _ body: @escaping ([String?]) -> String
  ) throws {
    let outcome = sqlite3_create_function_v2(
      handle, name, argumentCount, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      Unmanaged.passRetained(TextsFunction(body)).toOpaque(), TextsFunction.call, nil, nil,
      TextsFunction.release)
    guard outcome == SQLITE_OK else { throw DatabaseError(code: outcome, handle: handle) }
  }

  private func register(
    _ name: String, _ box: TextFunction?,
    _ call: (@convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void)?
  ) throws {
    let outcome = sqlite3_create_function_v2(
      handle, name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
      box.map { Unmanaged.passUnretained($0).toOpaque() }, call, nil, nil, nil)
    guard outcome == SQLITE_OK else { throw DatabaseError(code: outcome, handle: handle) }
  }
}

/// A function that statements can call.
private final class TextFunction {
  private let function: (String) -> String

  init(_ function: @escaping (String) -> String) {
    self.function = function
  }

  static let call:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context, count, arguments in
      guard count == 1, let argument = arguments?[0], let data = sqlite3_user_data(context),
        let text = sqlite3_value_text(argument)
      else { return sqlite3_result_null(context) }
      let box = Unmanaged<TextFunction>.fromOpaque(data).takeUnretainedValue()
      let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(argument)))
      csqlite_result_text(context, box.function(String(decoding: bytes, as: UTF8.self)))
    }
}

/// A function of several texts that statements can call.
private final class TextsFunction {
  private let function: ([String?]) -> String

  init(_ function: @escaping ([String?]) -> String) {
    self.function = function
  }

  static let call:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context, count, arguments in
      guard let data = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
      let texts = (0..<Int(count)).map { index -> String? in
        guard let value = arguments?[index], let text = sqlite3_value_text(value) else {
          return nil
        }
        let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_value_bytes(value)))
        return String(decoding: bytes, as: UTF8.self)
      }
      let box = Unmanaged<TextsFunction>.fromOpaque(data).takeUnretainedValue()
      csqlite_result_text(context, box.function(texts))
    }

  /// SQLite releases a function with its connection, or when it cannot add it.
  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data else { return }
    Unmanaged<TextsFunction>.fromOpaque(data).release()
  }
}

/// A function that gives numbers to statements.
private final class NumberFunction {
  private let next: () -> Int64

  init(_ next: @escaping () -> Int64) {
    self.next = next
  }

  static let call:
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void = {
      context, _, _ in
      guard let data = sqlite3_user_data(context) else { return sqlite3_result_null(context) }
      let box = Unmanaged<NumberFunction>.fromOpaque(data).takeUnretainedValue()
      sqlite3_result_int64(context, box.next())
    }

  /// SQLite releases a function with its connection, or when it cannot add it.
  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { data in
    guard let data else { return }
    Unmanaged<NumberFunction>.fromOpaque(data).release()
  }
}
