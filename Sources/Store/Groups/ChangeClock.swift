import Reactor
import SQLite
import Synchronization

/// Numbers the changes of groups in the order in which readers come to see them.
///
/// A number is the time in microseconds, but always greater than the earlier ones, although the clock may be set
/// back and the server restarted. For that the file has a limit, which is above all numbers that were
/// given: a restart continues from there. The writer raises it about once in half a minute.
///
/// In PostgreSQL, where several servers write, the database's clock is used instead.
final class ChangeClock: Sendable {
  private struct State {
    /// The last number.
    var last: Int64
    /// The number that the file has.
    var limit: Int64
    /// The limit that the transaction in progress stores.
    var nextLimit: Int64?
    /// The last number when the transaction in progress began.
    var lastBefore: Int64?
  }

  /// The name of the function that statements call for the next number.
  static let function = "next_change"

  /// The row of the table `meta` with the limit.
  static let limitRow = "change_limit"

  /// The row with the number below which no token is valid.
  static let floorRow = "change_floor"

  /// Microseconds by which the limit is ahead of the clock.
  private static let reserve: Int64 = 60_000_000

  private let state: Mutex<State>
  private let now: @Sendable () -> Int64

  /// - Parameters:
  ///   - limit: The limit in the file; 0 in a new one.
  ///   - now: The clock, in Unix microseconds.
  init(
    limit: Int64,
    now: @escaping @Sendable () -> Int64 = { SystemClock.unixMilliseconds * 1_000 }
  ) {
    state = Mutex(State(last: limit, limit: limit))
    self.now = now
  }

  /// Begins a transaction that writes.
  ///
  /// - Returns: A limit for the file, from time to time.
  func begin() -> Int64? {
    let now = now()
    return state.withLock { state in
      state.lastBefore = state.last
      guard max(now, state.last) + Self.reserve / 2 > state.limit else { return nil }
      state.nextLimit = max(now, state.last) + Self.reserve
      return state.nextLimit
    }
  }

  /// The number of a change in the transaction in progress.
  func next() -> Int64 {
    let now = now()
    return state.withLock { state in
      state.last = max(state.last + 1, min(now, state.nextLimit ?? state.limit))
      return state.last
    }
  }

  /// Ends the transaction in progress.
  func end(committed: Bool) {
    state.withLock { state in
      if committed, let limit = state.nextLimit { state.limit = limit }
      (state.nextLimit, state.lastBefore) = (nil, nil)
    }
  }

  /// A number that all changes exceed which a snapshot that begins now does not show.
  var settled: Int64 {
    let now = now()
    return state.withLock { state in
      if let last = state.lastBefore { return last }
      state.last = max(state.last, min(now, state.limit))
      // A number above the limit was not committed, and may be given again after a restart.
      return min(state.last, state.limit)
    }
  }
}

extension ChangeClock {
  /// The clock of a database file, whose statements can then number changes.
  convenience init(of database: Database) throws {
    let limit: Int64? = try database.value("SELECT value FROM meta WHERE key = ?", [Self.limitRow])
    self.init(limit: limit ?? 0)
    try database.addNumbers(Self.function, next)
  }
}

extension StoreStatement {
  /// The number of a change, for each row another one.
  static let nextChange = StoreStatement(
    sqlite: "\(ChangeClock.function)()", postgreSQL: databaseTime)

  /// Microseconds since 1970 by PostgreSQL's clock.
  private static let databaseTime = "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"

  /// See ``StoreSession/settledChange()``: a transaction may take half a minute to commit.
  static let settledDatabaseTime = "SELECT \(databaseTime) - 30000000"
}
