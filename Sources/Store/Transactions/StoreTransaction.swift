/// A transaction for reading or for writing, confined to its connection's thread.
protocol StoreTransaction {
  /// The thread's connection.
  var connection: StoreConnection { get }
  /// The time limit of lists; `nil` for no limit.
  var time: QueryTime? { get }
}

/// A snapshot of the database for the duration of a read job.
struct ReadTransaction: StoreTransaction {
  let connection: StoreConnection
  let time: QueryTime?

  init(connection: StoreConnection, time: QueryTime? = nil) {
    self.connection = connection
    self.time = time
  }
}

/// A writer's view for the duration of a job: sees everything that its batch has written so far.
struct WriteTransaction: StoreTransaction {
  let connection: StoreConnection
  var time: QueryTime? { nil }
}

/// The next step of a scan after a row.
enum ScanStep {
  /// The row was examined, and does not match or is only counted.
  case passed
  /// The row was included in the page.
  case taken
  /// The row is not needed: the scan ends before it.
  case stop
}

/// The reason why a scan ended.
enum ScanEnd {
  /// No row is left.
  case exhausted
  case stopped
  case outOfTime
}

extension StoreTransaction {
  /// Calls `body` with each row of a query and the rows after it, until it stops or the time is up.
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
  ///   - sql: A statement whose first column states whether the row matches the filters.
  ///   - limit: Maximum number of items; at least 1.
  ///   - beginning: The beginning of the page, and the token that continues after it.
  ///   - room: The room for further items.
  ///   - item: Creates an item from a matching row, and may read the rows after it.
  ///   - token: The token that continues after a row.
  func page<Value>(
    _ sql: StoreStatement, _ arguments: StoreArguments, limit: Int,
    after beginning: ListPage<Value> = ListPage(items: [], next: ""), in room: PageRoom = .answer,
    item: (StoreRow, UpcomingRows) throws -> PageItem<Value>, token: (StoreRow) throws -> String
  ) throws -> ListPage<Value> {
    var room = room
    var page = beginning
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

/// A condition on rows, with the values that it refers to.
///
/// The clauses are written in the code; only values come from outside.
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

  /// Requires a column to have one of the values; an empty list allows any value.
  mutating func require(_ column: String, isAnyOf values: [String]) {
    guard !values.isEmpty else { return }
    require("\(column) \(.isAnyOf)", [StoreValue.texts(values)])
  }
}
