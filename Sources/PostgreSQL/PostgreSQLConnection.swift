import CPostgreSQL
import Glibc

/// A connection to a PostgreSQL server; confined to one thread at a time.
///
/// Calls wait for the server's answer, but never longer than their deadline: a server that is stopped or
/// unreachable costs its connection, not the thread. After an error with
/// ``PostgreSQLError/endsConnection`` the connection is unusable.
package final class PostgreSQLConnection {
  /// A statement with the values of its placeholders, `$1` onwards.
  package struct Query: Hashable, Sendable {
    package var sql: String
    package var values: [PostgreSQLValue]

    package init(_ sql: String, _ values: [PostgreSQLValue] = []) {
      self.sql = sql
      self.values = values
    }
  }

  /// The settings of a connection.
  package struct Options: Sendable {
    /// The name shown in `pg_stat_activity`.
    package var applicationName = "parley"
    /// Seconds for each host in the address.
    package var connectTimeout = 5
    /// Maximum milliseconds for an answer.
    package var answerTimeout = 10_000
    /// Ends all waiting when it ends.
    package var patience: PostgreSQLPatience?

    package init() {}
  }

  let handle: OpaquePointer
  let options: Options
  /// The names of prepared statements by their texts, of which there are few: values are bound, not
  /// inserted.
  private var names: [String: String] = [:]
  /// The number of names assigned so far, so that none is used twice.
  private var nameCount = 0

  /// Connects.
  ///
  /// - Parameter url: A connection string or URI in libpq's format; it may name several hosts.
  /// - Throws: ``PostgreSQLError`` of kind `disconnected`, or `statement` with the server's reason.
  package init(_ url: String, _ options: Options = Options()) throws(PostgreSQLError) {
    let parameters = [
      // Values of these in the address come later in the list, and take precedence.
      ("connect_timeout", String(options.connectTimeout)), ("keepalives_idle", "10"),
      ("keepalives_interval", "3"), ("keepalives_count", "3"), ("tcp_user_timeout", "10000"),
      ("application_name", options.applicationName), ("dbname", url),
      ("client_encoding", "UTF8"),
    ]
    let start = Self.now
    let handle = withCStrings(parameters.map(\.0)) { names in
      withCStrings(parameters.map(\.1)) { PQconnectdbParams(names, $0, 1) }
    }
    guard let handle else {
      throw PostgreSQLError(kind: .disconnected, message: "out of memory")
    }
    guard PQstatus(handle) == CONNECTION_OK else {
      defer { PQfinish(handle) }
      let message = PQerrorMessage(handle).map { String(cString: $0).firstLine } ?? ""
      // A server that did not answer in time has given no reason.
      let isSilent = Self.now - start >= Int64(options.connectTimeout) * 1000
      let state =
        isSilent ? nil : Self.refusal(parameters, withinSeconds: options.connectTimeout)
      throw PostgreSQLError(kind: state.map { .statement($0) } ?? .disconnected, message: message)
    }
    self.handle = handle
    self.options = options
    PQsetnonblocking(handle, 1)
    // Notices of statements are not written to the standard error of this process.
    PQsetNoticeProcessor(handle, { _, _ in }, nil)
  }

  deinit { PQfinish(handle) }

  /// Connects again to get the code of a refusal, which libpq returns only in its text and only when
  /// configured to; `nil` when no server has answered.
  private static func refusal(
    _ parameters: [(String, String)], withinSeconds timeout: Int
  ) -> SQLState? {
    let handle = withCStrings(parameters.map(\.0)) { names in
      withCStrings(parameters.map(\.1)) { PQconnectStartParams(names, $0, 1) }
    }
    guard let handle else { return nil }
    defer { PQfinish(handle) }
    PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
    let deadline = Self.now + Int64(timeout) * 1000
    var step = PGRES_POLLING_WRITING
    while step == PGRES_POLLING_READING || step == PGRES_POLLING_WRITING {
      let events = step == PGRES_POLLING_READING ? POLLIN : POLLOUT
      var entry = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
      let left = deadline - Self.now
      guard left > 0, poll(&entry, 1, Int32(left)) > 0 else { return nil }
      step = PQconnectPoll(handle)
    }
    return PQerrorMessage(handle).flatMap { SQLState(inMessage: String(cString: $0)) }
  }

  /// Readable when the server has sent something; notifications arrive unsolicited.
  package var descriptor: Int32 { PQsocket(handle) }

  /// The server's process ID of this session, with which other sessions can end it.
  package var processID: Int32 { PQbackendPID(handle) }

  /// Whether a transaction has begun and not ended, including a failed one.
  package var isInTransaction: Bool {
    switch PQtransactionStatus(handle) {
    case PQTRANS_INTRANS, PQTRANS_INERROR, PQTRANS_ACTIVE: true
    default: false
    }
  }

  /// Executes one statement.
  package func execute(
    _ sql: String, _ values: [PostgreSQLValue] = []
  ) throws(PostgreSQLError) -> PostgreSQLRows {
    try run([Query(sql, values)])[0].get()
  }

  /// Executes statements without values, separated by semicolons, in one transaction, and ignores their
  /// rows.
  package func execute(script: String) throws(PostgreSQLError) {
    guard PQsendQuery(handle, script) == 1 else { throw lost(script) }
    let deadline = deadline()
    var failure: PostgreSQLError?
    while let result = try nextResult(by: deadline) {
      defer { PQclear(result) }
      if PQresultStatus(result) == PGRES_FATAL_ERROR {
        failure = failure ?? PostgreSQLError(result: result, sql: script)
      }
    }
    if let failure { throw failure }
  }

  /// Executes statements one after the other, all sent before waiting for the first answer.
  ///
  /// After one that fails, none is executed. Outside of a transaction they form one together.
  ///
  /// - Returns: An outcome for each.
  /// - Throws: ``PostgreSQLError`` that ends the connection. It is then unknown whether the statements
  ///   had an effect.
  package func run(
    _ queries: [Query]
  ) throws(PostgreSQLError) -> [Result<PostgreSQLRows, PostgreSQLError>] {
    let deadline = deadline()
    guard PQenterPipelineMode(handle) == 1 else { throw lost() }
    var steps: [Step] = []
    for (index, query) in queries.enumerated() {
      let name: String
      if let known = names[query.sql] {
        name = known
      } else {
        nameCount += 1
        name = "s\(nameCount)"
        names[query.sql] = name
        try send(query) { PQsendPrepare(handle, name, query.sql, Int32(query.values.count), $0) }
        steps.append(.preparation(query.sql))
      }
      // libpq writes when it has buffered 64 KiB, so a batch of statements takes one write.
      guard sendExecution(of: name, query.values) == 1 else { throw lost(query.sql) }
      steps.append(.query(index))
    }
    guard PQpipelineSync(handle) == 1 else { throw lost() }
    try flush(by: deadline)
    let outcomes = try collect(steps, of: queries, by: deadline)
    guard PQexitPipelineMode(handle) == 1 else { throw lost() }
    return outcomes
  }

  // MARK: Sending

  /// A part of a pipeline, for which the server sends separate results.
  private enum Step {
    case preparation(String)
    case query(Int)
  }

  private func send(
    _ query: Query, _ body: (UnsafePointer<UInt32>?) -> Int32
  ) throws(PostgreSQLError) {
    let types = query.values.map(\.type)
    guard types.withUnsafeBufferPointer({ body($0.baseAddress) }) == 1 else {
      throw lost(query.sql)
    }
  }

  /// Sends a previously executed statement; `false` when the connection is lost.
  func send(prepared query: Query) -> Bool {
    guard let name = names[query.sql] else { return false }
    return sendExecution(of: name, query.values) == 1
  }

  private func sendExecution(of name: String, _ values: [PostgreSQLValue]) -> Int32 {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    for value in values {
      value.encode(into: &bytes)
      ends.append(bytes.count)
    }
    // One additional byte: an empty value still needs an address other than NULL.
    bytes.append(0)
    return bytes.withUnsafeBufferPointer { buffer in
      var start = 0
      var pointers: [UnsafePointer<CChar>?] = []
      var lengths: [Int32] = []
      for (value, end) in zip(values, ends) {
        let address = UnsafeRawPointer(buffer.baseAddress?.advanced(by: start))
        pointers.append(value == .null ? nil : address?.assumingMemoryBound(to: CChar.self))
        lengths.append(Int32(end - start))
        start = end
      }
      let formats = [Int32](repeating: 1, count: values.count)
      return PQsendQueryPrepared(
        handle, name, Int32(values.count), pointers, lengths, formats, 1)
    }
  }

  // MARK: Receiving

  private func collect(
    _ steps: [Step], of queries: [Query], by deadline: Int64
  ) throws(PostgreSQLError) -> [Result<PostgreSQLRows, PostgreSQLError>] {
    var outcomes: [Result<PostgreSQLRows, PostgreSQLError>] = []
    /// The reason why a statement could not be prepared.
    var refusal: PostgreSQLError?
    for step in steps {
      guard let result = try nextResult(by: deadline) else { throw unexpected() }
      switch step {
      case .preparation(let sql):
        defer { PQclear(result) }
        if PQresultStatus(result) == PGRES_COMMAND_OK { break }
        names[sql] = nil
        if PQresultStatus(result) == PGRES_FATAL_ERROR {
          refusal = PostgreSQLError(result: result, sql: sql)
        }
      case .query(let index):
        let outcome = outcome(result, of: queries[index].sql)
        if case .failure(let error) = outcome, error.kind == .skipped, let known = refusal {
          outcomes.append(.failure(known))
          refusal = nil
        } else {
          outcomes.append(outcome)
        }
      }
      // The end of the step's results.
      if let more = try nextResult(by: deadline) {
        PQclear(more)
        throw unexpected()
      }
    }
    guard let end = try nextResult(by: deadline) else { throw unexpected() }
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw unexpected() }
    return outcomes
  }

  func outcome(
    _ result: OpaquePointer, of sql: String
  ) -> Result<PostgreSQLRows, PostgreSQLError> {
    switch PQresultStatus(result) {
    case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return .success(PostgreSQLRows(result))
    case PGRES_PIPELINE_ABORTED:
      PQclear(result)
      return .failure(
        PostgreSQLError(kind: .skipped, message: "an earlier statement failed", sql: sql))
    default:
      defer { PQclear(result) }
      return .failure(PostgreSQLError(result: result, sql: sql))
    }
  }

  private func unexpected() -> PostgreSQLError {
    PostgreSQLError(kind: .unexpected, message: "the server's answers do not fit the statements")
  }
}

/// Runs a body with texts in the form of libpq's lists: terminated by NULL.
private func withCStrings<T>(
  _ texts: [String], _ body: ([UnsafePointer<CChar>?]) -> T
) -> T {
  let copies = texts.map { strdup($0) }
  defer { for copy in copies { free(copy) } }
  return body(copies.map { UnsafePointer($0) } + [nil])
}
