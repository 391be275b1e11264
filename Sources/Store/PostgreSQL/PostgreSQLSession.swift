import Dispatch
import PostgreSQL

/// A session with PostgreSQL, which connects when it is first used and reconnects when the connection
/// was lost.
///
/// Statements whose outcome is not needed at once (the beginning of a transaction, savepoints, the rows
/// of new messages) are sent with the next statement that is waited for, in one round trip.
final class PostgreSQLSession: StoreSession {
  typealias Query = PostgreSQLConnection.Query

  private enum Phase {
    case idle
    case inTransaction
    /// The connection was lost in a transaction, which must be ended before any other statement.
    case broken
  }

  /// A statement that is sent with the next one.
  private struct Deferred {
    var query: Query
    /// Receives the rows.
    var take: ((PostgreSQLRows) -> Void)?
  }

  private let access: PostgreSQLAccess
  private var connection: PostgreSQLConnection?
  /// The backend process ID of the previous connection, whose transaction may still be running.
  private var lastProcessID: Int32?
  private var phase = Phase.idle
  private var deferred: [Deferred] = []
  private var texts: [String: String] = [:]
  private var openCursors: Set<String> = []
  private var cursorNumbers: [String: Int] = [:]
  private var nextTry: UInt64 = 0
  private var lastRefusal = ""
  private var openedCount = 0
  /// The number of transactions that have begun and were not committed.
  private(set) var undoneCount = 0
  /// Whether the last transaction that has begun is not committed yet.
  private var isUnkept = false
  /// Whether the previous transaction was undone: this one may repeat it.
  private(set) var isRepetition = false
  /// The number of times that an answer of the server was awaited; tests limit it for lists.
  private(set) var roundTripCount = 0

  init(_ access: PostgreSQLAccess) {
    self.access = access
  }

  var keepsRequests: Bool { true }
  var hasLanes: Bool { true }
  var hasTokenDocuments: Bool { true }

  // MARK: The connection

  /// - Throws: `StoreError` that names the problem, or `PostgreSQLError` when the server cannot be
  ///   reached.
  func open() throws {
    let made = try access.connect(after: lastProcessID)
    lastProcessID = made.processID
    connection = made
    openedCount += 1
  }

  var connectionCount: Int? { openedCount }
  var isCutOff: Bool { connection == nil }
  var fileProblem: String? { nil }

  func lookAtConnection() {
    if case .idle = phase, let connection, !connection.isOpen { lose() }
  }

  func close() { lose() }

  func restore() throws {
    guard connection == nil else { return }
    let now = DispatchTime.now().uptimeNanoseconds
    guard now >= nextTry else { throw StoreError.unavailable(reason: lastRefusal) }
    do {
      try open()
    } catch {
      lastRefusal = (error as? PostgreSQLError)?.message ?? "\(error)"
      nextTry = DispatchTime.now().uptimeNanoseconds + access.retryNanoseconds
      throw StoreError.unavailable(reason: lastRefusal)
    }
  }

  private func live() throws -> PostgreSQLConnection {
    if case .broken = phase {
      throw StoreError.unavailable(reason: "the connection was lost in a transaction")
    }
    try restore()
    guard let connection else { throw StoreError.unavailable(reason: lastRefusal) }
    return connection
  }

  private func lose() {
    connection = nil
    deferred = []
    openCursors = []
    if case .inTransaction = phase { phase = .broken }
  }

  // MARK: Transactions

  var isInTransaction: Bool {
    switch phase {
    case .inTransaction: true
    case .idle, .broken: false
    }
  }

  func begin() throws { try begin("BEGIN") }

  func beginReading() throws { try begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") }

  func settledChange() throws -> Int64 {
    let rows = try run([Query(StoreStatement.settledDatabaseTime)])[0]
    guard rows.count > 0 else { throw StoreError.unavailable(reason: "the database has no time") }
    return rows.integer(0, 0)
  }

  private func begin(_ sql: String) throws {
    rollback()
    // A commit to a database that has gone meanwhile would leave it unknown whether it was made.
    lookAtConnection()
    isRepetition = isUnkept
    if isUnkept { undoneCount += 1 }
    isUnkept = true
    _ = try live()
    phase = .inTransaction
    deferred = [Deferred(query: Query(sql))]
  }

  func commit() throws {
    let connection = try live()
    guard isInTransaction else { throw StoreError.unavailable(reason: "no transaction is open") }
    let outcomes: [Result<PostgreSQLRows, PostgreSQLError>]
    let sent = deferred
    deferred = []
    do {
      outcomes = try connection.run(sent.map(\.query) + [Query("COMMIT")])
    } catch {
      lose()
      phase = .idle
      throw CommitFailure(reason: error.message)
    }
    phase = .idle
    openCursors = []
    do {
      try take(outcomes, of: sent)
      let end = try outcomes[sent.count].get()
      guard end.tag == "COMMIT" else {
        throw StoreError.unavailable(reason: "the transaction had failed before")
      }
      isUnkept = false
    } catch let error as UndoneTransaction {
      rollBackNow()
      throw error
    } catch let error as PostgreSQLError {
      guard error.endsConnection else {
        rollBackNow()
        throw error
      }
      lose()
      // The server may have ended the connection after the commit.
      throw CommitFailure(reason: error.message)
    }
  }

  func rollback() {
    deferred = []
    openCursors = []
    phase = .idle
    rollBackNow()
  }

  private func rollBackNow() {
    guard let connection, connection.isInTransaction else { return }
    // A connection on which even this fails is unusable.
    if (try? connection.execute("ROLLBACK")) == nil { lose() }
  }

  func setSavepoint() throws { deferred.append(Deferred(query: Query("SAVEPOINT job"))) }

  func rollBackToSavepoint() throws {
    if let mark = deferred.lastIndex(where: { $0.query.sql == "SAVEPOINT job" }) {
      deferred.removeSubrange((mark + 1)...)
    } else {
      deferred = [Deferred(query: Query("ROLLBACK TO SAVEPOINT job"))]
    }
  }

  func releaseSavepoint() throws {
    guard isInTransaction else {
      throw StoreError.unavailable(reason: "the transaction has ended")
    }
    if deferred.last?.query.sql == "SAVEPOINT job" {
      deferred.removeLast()
    } else {
      deferred.append(Deferred(query: Query("RELEASE SAVEPOINT job")))
    }
  }

  // MARK: Statements

  func execute(_ sql: StoreStatement, _ values: StoreArguments) throws -> Int {
    try run(query(sql.postgreSQL, values)).changedCount
  }

  func insert(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) throws -> Int64 {
    try run(insertion(sql, values, numbering: column)).integer(0, 0)
  }

  /// Sends an insertion of one row with the next statement, and then reports the row's number.
  func insertLater(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String,
    take: @escaping (Int64) -> Void
  ) throws {
    try runLater(insertion(sql, values, numbering: column)) { take($0.integer(0, 0)) }
  }

  private func insertion(
    _ sql: StoreStatement, _ values: StoreArguments, numbering column: String
  ) -> Query {
    query("\(sql.postgreSQL) RETURNING \(column)", values)
  }

  func rows(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    StoreRows(PostgreSQLCursor(try run(query(sql.postgreSQL, values)), of: self))
  }

  func scan(_ sql: StoreStatement, _ values: StoreArguments) throws -> StoreRows {
    guard isInTransaction else { return try rows(sql, values) }
    let name = cursorName(for: sql.postgreSQL)
    let declaration = query(
      "DECLARE \(name) NO SCROLL CURSOR FOR \(sql.postgreSQL)", values)
    deferred.append(Deferred(query: declaration))
    let first = try fetch(PostgreSQLCursor.firstCount, from: name)
    openCursors.insert(name)
    return StoreRows(PostgreSQLCursor(first, name, of: self))
  }

  /// A name unique to this query: each fetch is a statement of its own, whose columns the server caches.
  private func cursorName(for sql: String) -> String {
    let number = cursorNumbers[sql] ?? cursorNumbers.count
    cursorNumbers[sql] = number
    var name = "scan\(number)"
    while openCursors.contains(name) { name += "x" }
    return name
  }

  /// Fetches further rows of a query with a cursor on the server.
  func fetch(_ count: Int, from cursor: String) throws -> PostgreSQLRows {
    try run(Query("FETCH \(count) FROM \(cursor)"))
  }

  /// Closes a cursor on the server; the end of a transaction closes it too.
  func forget(cursor name: String) {
    guard openCursors.remove(name) != nil else { return }
    deferred.append(Deferred(query: Query("CLOSE \(name)")))
  }

  func statement(_ sql: StoreStatement) throws -> any BoundStatement {
    PostgreSQLStatement(sql, on: self)
  }

  func makeAppender(for connection: StoreConnection) -> any MessageAppending {
    PostgreSQLAppender(session: self, connection: connection)
  }

  /// Executes statements in one round trip, together with the deferred ones.
  func run(_ queries: [Query]) throws -> [PostgreSQLRows] {
    let connection = try live()
    let sent = deferred
    deferred = []
    roundTripCount += 1
    do {
      let outcomes = try connection.run(sent.map(\.query) + queries)
      try take(outcomes, of: sent)
      return try outcomes.dropFirst(sent.count).map { try $0.get() }
    } catch let error as PostgreSQLError {
      if error.endsConnection { lose() }
      throw error
    }
  }

  private func run(_ query: Query) throws -> PostgreSQLRows { try run([query])[0] }

  /// - Throws: ``UndoneTransaction`` for a deferred statement: its failure is not the fault of the jobs
  ///   that wait for the next one.
  private func take(
    _ outcomes: [Result<PostgreSQLRows, PostgreSQLError>], of sent: [Deferred]
  ) throws {
    for (statement, outcome) in zip(sent, outcomes) {
      do throws(PostgreSQLError) {
        let rows = try outcome.get()
        statement.take?(rows)
      } catch {
        throw error.isFaultOfJob ? UndoneTransaction(reason: error.message) : error
      }
    }
  }

  /// Sends a statement with the next one; its failure undoes the transaction.
  func runLater(_ query: Query, take: ((PostgreSQLRows) -> Void)? = nil) throws {
    guard isInTransaction else {
      let rows = try run(query)
      take?(rows)
      return
    }
    deferred.append(Deferred(query: query, take: take))
  }

  /// The same for a statement that all databases accept.
  func executeLater(_ sql: StoreStatement, _ values: StoreArguments) throws {
    try runLater(query(sql.postgreSQL, values))
  }

  private func query(_ sql: String, _ values: StoreArguments) -> Query {
    Query(translated(sql), values.map { PostgreSQLValue($0) })
  }

  /// The statement with the placeholders of PostgreSQL.
  private func translated(_ sql: String) -> String {
    if let known = texts[sql] { return known }
    let text = StoreStatement.numberingPlaceholders(of: sql)
    texts[sql] = text
    return text
  }
}

extension PostgreSQLValue {
  fileprivate init(_ argument: (any StoreArgument)?) {
    switch argument?.storeValue {
    case nil, .null: self = .null
    case .integer(let number): self = .integer(number)
    case .text(let text): self = .text(text)
    case .bytes(let bytes): self = .bytes(bytes)
    case .integers(let numbers): self = .integers(numbers)
    // No row contains a text with U+0000, so such a text equals none of them.
    case .texts(let texts): self = .texts(texts.filter { !$0.utf8.contains(0) })
    }
  }
}

/// A statement whose values are bound one by one.
private final class PostgreSQLStatement: BoundStatement {
  private let sql: StoreStatement
  private unowned let session: PostgreSQLSession
  private var values: StoreArguments = []

  init(_ sql: StoreStatement, on session: PostgreSQLSession) {
    self.sql = sql
    self.session = session
  }

  func bind(_ value: Int64, at index: Int32) throws { set(value, at: index) }

  func bind(_ text: String?, at index: Int32) throws { set(text, at: index) }

  func execute() throws { _ = try session.execute(sql, values) }

  func integer() throws -> Int64? { try session.rows(sql, values).next()?[0] }

  private func set(_ value: (any StoreArgument)?, at index: Int32) {
    while values.count < Int(index) { values.append(nil) }
    values[Int(index) - 1] = value
  }
}
