import Glibc
import PostgreSQL

/// Time limits of a session with PostgreSQL, in milliseconds.
package struct PostgreSQLLimits: Sendable {
  /// The time that an answer may take.
  package var answer = 10_000
  /// The wait for a lock that another session has.
  package var lock = 8_000
  /// The time without a statement after which the server ends a session that is in a transaction.
  package var idleInTransaction = 3_000
}

/// The way to a PostgreSQL database, and the part that a session has in it.
struct PostgreSQLAccess: Sendable {
  /// The part of a session.
  enum Role: Sendable {
    /// Writes, and holds the locks of ``PostgreSQLLocks`` as long as it is connected.
    case writer(PostgreSQLLocks)
    /// Makes changes beside those of messages.
    case aside
    case reader
    /// Brings the schema up to date.
    case administrator
  }

  /// As libpq takes it; may hold a password, and is never shown.
  let url: String
  let role: Role
  /// Ends all waiting for the server, when it ends.
  var patience: PostgreSQLPatience?
  var limits = PostgreSQLLimits()
  /// Wait between two tries to connect.
  var retryNanoseconds: UInt64 = 1_000_000_000

  /// Connects and sets the session up.
  ///
  /// - Parameter previous: The server's number of the connection before, which is ended if it is
  ///   still there: its transaction must not be kept after this session has looked.
  /// - Throws: `StoreError` or `PostgreSQLError`.
  func connect(after previous: Int32?) throws -> PostgreSQLConnection {
    if let patience, patience.isOver {
      throw StoreError.unavailable(reason: "the server is about to end")
    }
    var options = PostgreSQLConnection.Options()
    options.patience = patience
    options.applicationName = Self.applicationName
    options.answerTimeout = limits.answer
    if case .administrator = role { options.answerTimeout = 24 * 3_600_000 }
    let connection = try PostgreSQLConnection(url, options)
    try connection.execute(script: Self.planning + settings)
    if case .writer(let locks) = role { try locks.acquire(on: connection, after: previous) }
    return connection
  }

  /// Settings that make the server plan by indexes alone.
  ///
  /// A plan that was made while a table was empty must not read all of it when it has grown. Costs of
  /// refused ways are huge, so that they would seem worth compiling.
  private static let planning = """
    SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
    """

  private var settings: String {
    // A server that is stopped in a transaction must not hold up the others for long.
    let timeouts = """
      SET idle_in_transaction_session_timeout = \(limits.idleInTransaction);
      SET lock_timeout = \(limits.lock)
      """
    return switch role {
    // Else the server plans a statement with a list of values anew each time, which takes a lone
    // message as long as its rows: a list that is there is mostly shorter than what it expects of any.
    case .writer: "\(timeouts); SET plan_cache_mode = force_generic_plan"
    case .aside: timeouts
    case .reader: "SET default_transaction_read_only = on"
    case .administrator: "SET lock_timeout = 0"
    }
  }

  /// Names this process to others and in `pg_stat_activity`.
  private static let applicationName: String = {
    var host = [CChar](repeating: 0, count: 65)
    gethostname(&host, 64)
    let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "parleyd \(getpid()) on \(name.prefix(32))"
  }()
}

/// The locks that a writer holds in the database, which go with its connection.
struct PostgreSQLLocks: Sendable {
  /// Whether other servers may write to the database too.
  let sharing: StoreSharing
  /// This store's own lock: a new connection gets it when the old one's transaction is over, so what
  /// it then does not find is not there and never will be.
  let own: Int64

  /// "Parley" and a number.
  static let deployment: Int64 = 0x5061_726C_6579_0001

  init(_ sharing: StoreSharing) {
    self.sharing = sharing
    // The sign bit keeps it apart from the deployment's.
    own = Int64.random(in: .min..<0)
  }

  /// - Throws: `StoreError.inaccessible` when another server excludes this one.
  func acquire(on connection: PostgreSQLConnection, after previous: Int32?) throws {
    let function =
      switch sharing {
      case .alone: "pg_try_advisory_lock"
      case .shared: "pg_try_advisory_lock_shared"
      }
    try wait(for: own, "pg_try_advisory_lock", on: connection, after: previous)
    try wait(for: Self.deployment, function, on: connection, after: previous)
  }

  /// A process that has just ended frees its locks within moments.
  private func wait(
    for lock: Int64, _ function: String, on connection: PostgreSQLConnection, after previous: Int32?
  ) throws {
    var holder: Holder?
    for attempt in 0..<20 {
      if attempt > 0 { usleep(100_000) }
      let isHeld = try connection.execute("SELECT \(function)($1)", [.integer(lock)])
      if isHeld.integer(0, 0) == 1 { return }
      holder = try self.holder(of: lock, on: connection)
      guard let holder, holder.processID == previous else { continue }
      _ = try connection.execute(
        "SELECT pg_terminate_backend($1::bigint::int)", [.integer(Int64(holder.processID))])
    }
    let database = try connection.execute("SELECT current_database()").text(0, 0)
    throw StoreError.inaccessible(
      path: "the database \(database)",
      reason: "it is in use by another server" + (holder.map { " (\($0.name))" } ?? "")
        + "; several servers share a database if all have cluster.bus set")
  }

  private struct Holder {
    var processID: Int32
    /// As it calls itself, with its address.
    var name: String
  }

  private func holder(of lock: Int64, on connection: PostgreSQLConnection) throws -> Holder? {
    let bits = UInt64(bitPattern: lock)
    let rows = try connection.execute(
      """
      SELECT l.pid, coalesce(a.application_name, ''), coalesce(host(a.client_addr), '')
      FROM pg_locks AS l LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid::bigint = $1 AND l.objid::bigint = $2
        AND l.pid <> pg_backend_pid()
      """, [.integer(Int64(bits >> 32)), .integer(Int64(bits & 0xFFFF_FFFF))])
    guard rows.count > 0 else { return nil }
    let address = rows.text(0, 2)
    return Holder(
      processID: Int32(truncatingIfNeeded: rows.integer(0, 0)),
      name: rows.text(0, 1) + (address.isEmpty ? "" : " at \(address)"))
  }
}
