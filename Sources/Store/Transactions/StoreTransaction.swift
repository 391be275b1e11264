/// A transaction for reading or for writing, confined to its connection's thread.
protocol StoreTransaction {
  /// The thread's connection.
  var connection: StoreConnection { get }
  /// How long lists may look; `nil` for as long as it takes.
  var time: QueryTime? { get }
}

/// A snapshot of the database, for the length of a read job.
struct ReadTransaction: StoreTransaction {
  let connection: StoreConnection
  let time: QueryTime?

  init(connection: StoreConnection, time: QueryTime? = nil) {
    self.connection = connection
    self.time = time
  }
}

/// A writer's view, for the length of a job: sees what its batch has written so far.
struct WriteTransaction: StoreTransaction {
  let connection: StoreConnection
  var time: QueryTime? { nil }
}

/// The next step of a scan after a row.
enum ScanStep {
  /// The row was looked at, and does not fit or is only counted.
  case passed
  /// The row was taken into the page.
  case taken
  /// The row is not wanted: the scan ends before it.
  case stop
}

/// Why a scan ended.
enum ScanEnd {
  /// No row is left.
  case exhausted
  case stopped
  case outOfTime
}

extension StoreTransaction {
  /// Calls `body` with the rows of a query, each and those after it, until it stops or the time is up.
  func scan(
    _ sql: StoreStatement, _ arguments: StoreArguments,
    _ body: (StoreRow, StoreRows) throws -> ScanStep
  ) throws -> ScanEnd {
    let rows = try connection.scan(sql, arguments)
    while let row = try rows.next() {
      switch try body(row, rows) {
      case .stop: return .stopped
      case .passed: if time?.isOverAfterRow() == true { return .outOfTime }
      case .taken: break
      }
    }
    return .exhausted
  }

  /// Reads a page of a list.
  ///
  /// - Parameters:
  ///   - sql: A statement whose first column says whether the row fits the filters.
  ///   - limit: Most items; 1 at least.
  ///   - item: Makes an item of a row that fits, and may look at those after it.
  ///   - token: The token that goes on after a row.
  func page<Value>(
    _ sql: StoreStatement, _ arguments: StoreArguments, limit: Int,
    item: (StoreRow, UpcomingRows) throws -> PageItem<Value>, token: (StoreRow) throws -> String
  ) throws -> ListPage<Value> {
    var room = PageRoom.answer
    var page = ListPage<Value>(items: [], next: "")
    let rows = try connection.scan(sql, arguments)
    while let row = try rows.next() {
      guard row[0] as Bool else {
        guard time?.isOverAfterRow() == true else { continue }
        page.next = try token(row)
        return page
      }
      guard page.items.count < limit else { return page }
      let upcoming = UpcomingRows(rows, limit: limit - page.items.count - 1)
      let made = try item(row, upcoming)
      guard room.admit(byteCount: made.byteCount) else { return page }
      page.items.append(made.value)
      page.next = try token(row)
    }
    page.next = ""
    return page
  }
}

/// A condition on rows, with the values that it names.
///
/// The clauses are the code's own; only values come from outside.
struct Condition {
  private var clauses: [StoreStatement]
  private(set) var arguments: StoreArguments

  /// Any row.
  init() {
    clauses = []
    arguments = []
  }

  init(_ clause: StoreStatement, _ arguments: StoreArguments) {
    clauses = [clause]
    self.arguments = arguments
  }

  var isEmpty: Bool { clauses.isEmpty }

  /// For use after WHERE.
  var sql: StoreStatement { clauses.joined(separator: " AND ") }

  /// For use as a column that is 1 or 0.
  var flag: StoreStatement {
    clauses.isEmpty ? "1" : "CASE WHEN \(sql) THEN 1 ELSE 0 END"
  }

  mutating func require(_ clause: StoreStatement, _ arguments: StoreArguments = []) {
    clauses.append(clause)
    self.arguments += arguments
  }

  /// Requires that a column has one of the values; none at all stands for any.
  mutating func require(_ column: String, isAnyOf values: [String]) {
    guard !values.isEmpty else { return }
    require("\(column) \(.isAnyOf)", [StoreValue.texts(values)])
  }
}
