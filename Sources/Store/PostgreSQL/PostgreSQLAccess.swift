import Glibc
import PostgreSQL

/// Time limits of a session with PostgreSQL, in milliseconds.
package struct PostgreSQLLimits: Sendable {
  /// The maximum time for an answer.
  package var answer = 10_000
  /// The maximum wait for a lock held by another session.
  package var lock = 8_000
  /// The time without a statement after which the server ends a session in a transaction.
  package var idleInTransaction = 3_000
}

/// The access to a PostgreSQL database, and the role of a session.
struct PostgreSQLAccess: Sendable {
  /// The role of a session.
  enum Role: Sendable {
    /// Writes, and holds the locks of ``PostgreSQLLocks`` as long as it is connected.
    case writer(PostgreSQLLocks)
    /// Makes changes unrelated to messages.
    case aside
    case reader
    /// Brings the schema up to date.
    case administrator
  }

  /// In libpq's format; may contain a password, and is never shown.
  let url: String
  let role: Role
  /// Ends all waiting for the server when it ends.
  var patience: PostgreSQLPatience?
  var limits = PostgreSQLLimits()
  /// Wait between two attempts to connect.
  var retryNanoseconds: UInt64 = 1_000_000_000

  /// Connects and sets the session up.
  ///
  /// - Parameter previous: The backend process ID of the previous connection, which is ended if it still
  ///   exists: its transaction must not be committed after this session has read.
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

  /// Settings that make the server plan with indexes only.
  ///
  /// A plan made while a table was empty must not scan the table after it has grown. Rejected plans have
  /// huge costs, which would make JIT compilation seem worthwhile.
  private static let planning = """
    SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off;
    SET enable_hashjoin = off; SET enable_mergejoin = off; SET jit = off;
    """

  private var settings: String {
    // A server that is suspended in a transaction must not delay the others for long.
    let timeouts = """
      SET idle_in_transaction_session_timeout = \(limits.idleInTransaction);
      SET lock_timeout = \(limits.lock)
      """
    return switch role {
    // Otherwise the server replans a statement with a list of values each time, which costs as much as
    // inserting a single message: most lists are shorter than its default estimate.
    case .writer: "\(timeouts); SET plan_cache_mode = force_generic_plan"
    case .aside: timeouts
    case .reader: "SET default_transaction_read_only = on"
    case .administrator: "SET lock_timeout = 0"
    }
  }

  /// Identifies this process to others and in `pg_stat_activity`.
  private static let applicationName: String = {
    var host = [CChar](repeating: 0, count: 65)
    gethostname(&host, 64)
    let name = String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return "parleyd \(getpid()) on \(name.prefix(32))"
  }()
}

/// The locks that a writer holds in the database, released with its connection.
struct PostgreSQLLocks: Sendable {
  /// Whether other servers may write to the database too.
  let sharing: StoreSharing
  /// This store's own lock.
  ///
  /// A new connection acquires it only when the old one's transaction has ended, so rows that it does
  /// not find then were not written and never will be.
  let own: Int64

  /// "Parley" followed by a number.
  static let deployment: Int64 = 0x5061_726C_6579_0001

  init(_ sharing: StoreSharing) {
    self.sharing = sharing
    // The sign bit distinguishes it from the deployment's.
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

  /// Waits for a process that has just ended, whose locks are released within moments.
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
    /// The name it gives itself, with its address.
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
